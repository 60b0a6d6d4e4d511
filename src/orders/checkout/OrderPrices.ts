import { Array as Arr } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { Discount, PromoCodeSale } from "../../wallet/promo-codes/PromoCodes.ts"
import type { Order } from "../Order.ts"
import type { AgreedOrder } from "./AgreeOrder.ts"
import type { OrderTerms } from "./OrderTerms.ts"

/** The price of one order, and the discount that it contains. */
type OrderPrice = Pick<Order, "promo_code_id" | "discount" | "discount_usd" | "total" | "total_usd">
export type OrderPrices = Arr.NonEmptyReadonlyArray<OrderPrice>

/** Prices `quantity` orders without a promo code. */
export const full = ({ unit_price, unit_price_usd }: OrderTerms, quantity: number): OrderPrices =>
  Arr.makeBy(quantity, () => ({
    promo_code_id: null,
    discount: 0n,
    discount_usd: 0n,
    total: unit_price,
    total_usd: unit_price_usd
  }))

/** Prices the orders of a request that uses a promo code. */
export const reduced = ({ unit_price, unit_price_usd }: OrderTerms, { orders, promo_code_id }: Discount): OrderPrices =>
  Arr.map(orders, ({ discount, discount_usd }) => ({
    promo_code_id,
    discount,
    discount_usd,
    total: unit_price - discount,
    total_usd: unit_price_usd - discount_usd
  }))

/** The sums over all orders of a request, in units of the currency and in micro-dollars. */
export const sum = (prices: OrderPrices) => ({
  discount: prices.reduce((sum, { discount }) => sum + discount, 0n),
  total: prices.reduce((sum, { total }) => sum + total, 0n),
  total_usd: prices.reduce((sum, { total_usd }) => sum + total_usd, 0n)
})

/** The sale that a promo code applies to. */
export const saleOf = (
  user_id: UserId,
  code: string,
  { offer, terms }: AgreedOrder,
  quantity: number
): PromoCodeSale => ({
  user_id,
  code,
  offer_id: offer.id,
  currency: terms.currency,
  unit_price: terms.unit_price,
  unit_price_usd: terms.unit_price_usd,
  quantity
})
