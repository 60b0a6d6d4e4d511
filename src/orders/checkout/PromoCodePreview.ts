import { Effect, Schema } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Catalog } from "../../catalog/Catalog.ts"
import { Currency } from "../../platform/Money.ts"
import * as Money from "../../platform/Money.ts"
import { type PromoCode, PromoCodeKind } from "../../wallet/promo-codes/PromoCode.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import type { WantedOrder } from "./OrderRequest.ts"
import { agree } from "./OrderTerms.ts"

/** What a promo code takes off an order. */
export const PromoCodePreview = Schema.Struct({
  code: Schema.String.annotate({ examples: ["WELCOME-20"] }),
  kind: PromoCodeKind.annotate({ description: "`percent` of the price, or a `fixed` amount off the whole order" }),
  value: Schema.Finite.annotate({ description: "Percent, or dollars", examples: [20] }),
  currency: Currency,
  unit_price: Schema.Finite.annotate({ description: "Of one proxy, before the discount", examples: [4.5] }),
  total: Schema.Finite.annotate({ description: "Of all, before the discount", examples: [9] }),
  discount: Schema.Finite.annotate({ examples: [1.8] }),
  total_after: Schema.Finite.annotate({ description: "What remains to pay", examples: [7.2] }),
  expires_at: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({ description: "Null: never" }),
  uses_left: Schema.Int.annotate({ description: "How many more orders of yours it is good for", examples: [1] })
}).annotate({ identifier: "PromoCodePreview" })

/** An order that a code might be used for; its fields have the names of an order's. */
export interface PromoCodeUse {
  readonly code: string
  readonly offer_id: number
  readonly quantity: number
  readonly period_days?: number
  readonly tarification_index?: number
  readonly currency: Currency
}

const valueOf = ({ kind, value }: PromoCode) => (kind === "fixed" ? Money.toNumber("USD", value) : Number(value))

/** Prices an order with a code and without; uses nothing up. */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const promoCodes = yield* PromoCodes

  return Effect.fnUntraced(function* (user_id: UserId, { code, currency, ...wanted }: PromoCodeUse) {
    const offer = yield* catalog.offer(wanted.offer_id)
    const request: WantedOrder = { ...wanted, payment_method: "wallet", payment_currency: currency, auto_renew: false }
    const { unit_price, unit_price_usd } = yield* agree(offer, request)
    const sale = { user_id, code, currency, unit_price, unit_price_usd, ...wanted }
    const { discount, promo_code, uses_left } = yield* promoCodes.preview(sale)

    const total = unit_price * BigInt(wanted.quantity)
    const off = discount.orders.reduce((sum, { discount }) => sum + discount, 0n)
    return {
      code: promo_code.code,
      kind: promo_code.kind,
      value: valueOf(promo_code),
      currency,
      unit_price: Money.toNumber(currency, unit_price),
      total: Money.toNumber(currency, total),
      discount: Money.toNumber(currency, off),
      total_after: Money.toNumber(currency, total - off),
      expires_at: promo_code.expires_at,
      uses_left
    }
  })
})
