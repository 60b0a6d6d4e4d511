import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import * as Money from "../../platform/Money.ts"
import { Code, type PromoCode, PromoCodeId, PromoCodeKind } from "../../wallet/promo-codes/PromoCode.ts"
import type { CountedPromoCode } from "../../wallet/promo-codes/PromoCodeRegistry.ts"

const Time = Schema.DateTimeUtcFromString
const maybe = Schema.NullOr

export const PromoCodeView = Schema.Struct({
  id: PromoCodeId,
  code: Code.annotate({ examples: ["SPRING-20"] }),
  kind: PromoCodeKind,
  value: Schema.String.annotate({
    description: "Percent of the price, or dollars off all orders of a purchase together",
    examples: ["20"]
  }),
  valid_from: maybe(Time),
  expires_at: maybe(Time),
  use_limit: maybe(Schema.Int).annotate({ description: "Purchases that may use the code; null for no limit" }),
  account_limit: Schema.Int.annotate({ description: "Purchases of one account that may use the code" }),
  offer_ids: maybe(Schema.Array(Schema.Int)).annotate({ description: "The offers of the code; null for all" }),
  uses: Schema.Int.annotate({ description: "Purchases that use the code; failed ones do not count" }),
  ended_at: maybe(Time).annotate({ description: "The time at which a person ended it" }),
  created_at: Time
}).annotate({ identifier: "PromoCode" })

/** The discount as text: percent, or dollars. */
const valueText = ({ kind, value }: Pick<PromoCode, "kind" | "value">): string =>
  kind === "percent" ? String(value) : Money.toDecimal("USD", value)

export const promoCodeView = (code: CountedPromoCode): typeof PromoCodeView.Type => ({
  id: code.id,
  code: code.code,
  kind: code.kind,
  value: valueText(code),
  valid_from: code.valid_from,
  expires_at: code.expires_at,
  use_limit: code.use_limit,
  account_limit: code.account_limit,
  offer_ids: code.offer_ids,
  uses: code.uses,
  ended_at: code.disabled_at,
  created_at: code.created_at
})

const Amount = Schema.String.annotate({ description: "A decimal string", examples: ["12.50"] })

export const PromoCodeUseView = Schema.Struct({
  order_id: Schema.String,
  customer_id: UserId,
  currency: Money.Currency,
  total: Amount,
  discount: Amount,
  created_at: Time,
  released_at: maybe(Time).annotate({ description: "The use of a failed order does not count from then on" })
}).annotate({ identifier: "PromoCodeUse" })
