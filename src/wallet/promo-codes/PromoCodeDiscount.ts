import { Array as Arr } from "effect"
import type { Currency } from "../../platform/Money.ts"
import type { PromoCode } from "./PromoCode.ts"

/** The orders of a request: `quantity` orders of one price, in units of `currency` and in micro-dollars. */
export interface Sale {
  readonly currency: Currency
  readonly unit_price: bigint
  readonly unit_price_usd: bigint
  readonly quantity: number
}

/** The discount of one order, in units of its currency and in micro-dollars. */
export interface OrderDiscount {
  readonly discount: bigint
  readonly discount_usd: bigint
}

/** The smallest price of an order: 0.01 USD or one star. */
const leastToPay = { USD: 10_000n, STAR: 1n } as const

const lesser = (a: bigint, b: bigint) => (a < b ? a : b)
const greater = (a: bigint, b: bigint) => (a > b ? a : b)

const percentOf = (value: bigint, { quantity, unit_price }: Sale) =>
  Arr.makeBy(quantity, () => (unit_price * value + 50n) / 100n)

/** Divides the amount among the orders as evenly as its unit allows. */
const spread = (amount: bigint, { quantity }: Sale) => {
  const orders = BigInt(quantity)
  return Arr.makeBy(quantity, (index) => amount / orders + (BigInt(index) < amount % orders ? 1n : 0n))
}

/**
 * Computes the discount of each order. A percentage applies to the unit price; half a unit is rounded up. A fixed
 * amount applies to the whole request; it is converted to stars at the ratio of the offer's prices, rounded down. The
 * discount in micro-dollars is the same share of the price in dollars.
 */
export const discount = (
  { kind, value }: Pick<PromoCode, "kind" | "value">,
  sale: Sale
): Arr.NonEmptyArray<OrderDiscount> => {
  const { currency, unit_price, unit_price_usd } = sale
  const most = greater(unit_price - leastToPay[currency], 0n)
  const wanted = kind === "percent" ? percentOf(value, sale) : spread((value * unit_price) / unit_price_usd, sale)
  return Arr.map(wanted, (amount) => {
    const discount = lesser(amount, most)
    return { discount, discount_usd: (discount * unit_price_usd) / unit_price }
  })
}
