import { Schema } from "effect"
import { Model } from "effect/schema"
import { Currency } from "../../platform/Money.ts"
import type { ProxyExtension, ProxyReplacement, TrafficAddition } from "../../provider/ProxyProvider.ts"
import { Actor } from "../ActedBy.ts"
import { OrderId } from "../Order.ts"
import { ProviderDown, ProviderSaidNo } from "../proxies/ProxyErrors.ts"

export const ProxyChangeId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("ProxyChangeId"))
export type ProxyChangeId = typeof ProxyChangeId.Type

/** The provider said no, or could not be reached in time. */
const Refusal = Schema.Literals(["provider_refused", "provider_down"])
export type Refusal = typeof Refusal.Type

/** A change of a proxy that is bought, or that staff give: the proxy before and after it, and the outcome. */
export class ProxyChange extends Model.Class<ProxyChange>("ProxyChange")({
  id: Model.UuidV7Insert(ProxyChangeId),
  order_id: OrderId,
  /**
   * `append` moves the end of the cycle, `restart` begins a cycle immediately, `traffic` adds to the running cycle, `replace`
   * gives another exit address, and another login when staff give it.
   */
  kind: Schema.Literals(["append", "restart", "traffic", "replace"]),
  /** Nobody pays for what `staff` and the `warranty` give. */
  origin: Schema.Literals(["request", "auto_renew", "staff", "warranty"]),
  /** Who bought the change; null where it is not on record. */
  actor: Schema.NullOr(Actor),
  actor_id: Schema.NullOr(Schema.String),
  /** The person who gave it, and why. The warranty has a reason only. Null for what was bought. */
  given_by: Schema.NullOr(Schema.String),
  given_by_id: Schema.NullOr(Schema.String),
  given_reason: Schema.NullOr(Schema.String),
  /** The price of given time in micro-dollars, which counts as goodwill; zero for what costs the operator nothing. */
  given_value_usd: Schema.NullOr(Schema.BigInt),
  currency: Currency,
  /** In units of `currency`, and in micro-dollars. */
  total: Schema.BigInt,
  total_usd: Schema.BigInt,
  /** The cost of the operator in micro-dollars: what the provider charged, else that of the offer. Null: unknown. */
  cost_usd: Schema.NullOr(Schema.BigInt),
  period_days: Schema.Int,
  period_months: Schema.Int,
  tarification_index: Schema.NullOr(Schema.Int),
  added_gb: Schema.NullOr(Schema.Finite),
  previous_expires_at: Schema.DateTimeUtcFromDate,
  previous_bandwidth_gb: Schema.NullOr(Schema.Finite),
  /** The proxy after the change; `bandwidth_gb` null is unlimited. */
  expires_at: Schema.DateTimeUtcFromDate,
  bandwidth_gb: Schema.NullOr(Schema.Finite),
  status: Schema.Literals(["pending", "applied", "refused"]),
  /** Start of the last call of the provider; null while the provider has certainly done nothing. */
  attempted_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  refusal: Schema.NullOr(Refusal),
  /** The reason of a refusal, for the operator. */
  detail: Schema.NullOr(Schema.String),
  /** From then on `ProxyChangeRecovery` may take up the pending change. */
  settle_at: Schema.DateTimeUtcFromDate,
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}

/** The error that a request answers for a refusal. */
export const refusalError = (refusal: Refusal): ProviderSaidNo | ProviderDown =>
  refusal === "provider_refused" ? new ProviderSaidNo({ details: {} }) : new ProviderDown()

/** True for a change that nobody pays for. */
export const isGiven = ({ origin }: Pick<ProxyChange, "origin">): boolean => origin === "staff" || origin === "warranty"

/** Ledger reference of the payment of a change, and of its refund. */
export const paymentReference = (id: ProxyChangeId): string => `change:${id}`

/** The change in the words of the provider port. */
export const toProvider = (change: ProxyChange): ProxyExtension | TrafficAddition | ProxyReplacement => {
  const { added_gb, bandwidth_gb, expires_at, id, kind, period_days, period_months } = change
  const previous = { expires_at: change.previous_expires_at, bandwidth_gb: change.previous_bandwidth_gb }
  if (kind === "replace") {
    const isWarranty = change.origin === "warranty"
    return {
      reference: id,
      kind,
      keeps_logins: isWarranty,
      is_failing: isWarranty && change.given_reason === "failing"
    }
  }
  if (kind !== "traffic") return { reference: id, kind, period_days, period_months, expires_at, bandwidth_gb, previous }
  if (added_gb === null || bandwidth_gb === null || previous.bandwidth_gb === null)
    throw new Error(`change ${id} adds traffic to no limit`)
  return { reference: id, kind, added_gb, bandwidth_gb, previous: { ...previous, bandwidth_gb: previous.bandwidth_gb } }
}
