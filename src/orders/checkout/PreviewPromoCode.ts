import { Effect } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Catalog } from "../../catalog/Catalog.ts"
import type { Currency } from "../../platform/Money.ts"
import type { PromoCode } from "../../wallet/promo-codes/PromoCode.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import * as OrderPrices from "./OrderPrices.ts"
import type { WantedOrder } from "./OrderRequest.ts"
import { agree } from "./OrderTerms.ts"

/** An order to preview a promo code on; the fields have the names of the order request. */
export interface PromoCodeUse {
  readonly code: string
  readonly offer_id: number
  readonly quantity: number
  readonly period_days?: number
  readonly tarification_index?: number
  readonly currency: Currency
}

/** A promo code, and its discount on an order. Amounts in units of `currency`; `total` is without the discount. */
export interface PromoCodePreview {
  readonly promo_code: PromoCode
  readonly currency: Currency
  readonly unit_price: bigint
  readonly total: bigint
  readonly discount: bigint
  readonly uses_left: number
}

/** Prices an order with and without a promo code. Does not use the code. */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const promoCodes = yield* PromoCodes

  return Effect.fnUntraced(function* (user_id: UserId, { code, currency, ...wanted }: PromoCodeUse) {
    const offer = yield* catalog.offer(wanted.offer_id)
    const request: WantedOrder = { ...wanted, payment_method: "wallet", payment_currency: currency, auto_renew: false }
    const terms = yield* agree(offer, request)
    const sale = OrderPrices.saleOf(user_id, code, { offer, terms }, wanted.quantity)
    const { discount, promo_code, uses_left } = yield* promoCodes.preview(sale)

    const { unit_price } = terms
    const reduced = OrderPrices.sum(OrderPrices.reduced(terms, discount))
    const total = unit_price * BigInt(wanted.quantity)
    return { promo_code, currency, unit_price, total, discount: reduced.discount, uses_left }
  })
})
