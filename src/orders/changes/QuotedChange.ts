import { DateTime, Schema } from "effect"
import { Currency } from "../../platform/Money.ts"
import { OrderId } from "../Order.ts"
import { quoteLifetime } from "../QuoteLifetime.ts"
import type { AgreedChange } from "./AgreeProxyChange.ts"
import { ProxyChange } from "./ProxyChange.ts"
import type { ProxyChangeTerms } from "./ProxyChangeTerms.ts"

/** The price of a proxy change that the owner was shown: in units of `currency`, and in micro-dollars. */
export const QuotedChange = Schema.Struct({
  order_id: OrderId,
  kind: ProxyChange.fields.kind,
  /** Months, the position of a tariff, or GB. */
  amount: Schema.Int,
  currency: Currency,
  total: Schema.BigInt,
  total_usd: Schema.BigInt,
  /** The period and the traffic of a tariff, which must not have changed since the quote; null for other changes. */
  period_days: Schema.NullOr(Schema.Int),
  bandwidth_gb: Schema.NullOr(Schema.Finite),
  expires_at: Schema.DateTimeUtcFromDate
})
export type QuotedChange = typeof QuotedChange.Type

const tariffOf = ({ bandwidth_gb, kind, period_days }: ProxyChangeTerms) =>
  kind === "restart" ? { period_days, bandwidth_gb } : { period_days: null, bandwidth_gb: null }

/** Identifies a change of a proxy. */
export const changeOf = ({ order, terms }: AgreedChange) => ({
  order_id: order.id,
  kind: terms.kind,
  amount: terms.tarification_index ?? terms.added_gb ?? terms.period_months
})

export const quotedChangeOf = (agreed: AgreedChange, now: DateTime.Utc): QuotedChange => ({
  ...changeOf(agreed),
  ...tariffOf(agreed.terms),
  currency: agreed.terms.currency,
  total: agreed.terms.total,
  total_usd: agreed.terms.total_usd,
  expires_at: DateTime.addDuration(now, quoteLifetime)
})

/** The change at its quoted price if that is lower, else unchanged. Undefined when its tariff is another one meanwhile. */
export const atQuotedPrice = (agreed: AgreedChange, quoted: QuotedChange): AgreedChange | undefined => {
  const { terms } = agreed
  const tariff = tariffOf(terms)
  if (quoted.period_days !== tariff.period_days || quoted.bandwidth_gb !== tariff.bandwidth_gb) return undefined
  if (quoted.currency !== terms.currency || quoted.total >= terms.total) return agreed
  return { ...agreed, terms: { ...terms, total: quoted.total, total_usd: quoted.total_usd } }
}
