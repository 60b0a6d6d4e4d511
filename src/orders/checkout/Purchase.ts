import { Array as Arr, DateTime, Effect } from "effect"
import type { Caller } from "../../accounts/Caller.ts"
import type { Offer } from "../../catalog/Offer.ts"
import type { StatementPart } from "../../platform/postgres/Atomically.ts"
import { Payments } from "../../wallet/payments/Payments.ts"
import type { PaymentMethod as GatewayMethod } from "../../wallet/PaymentMethod.ts"
import { PromoCodes, type PromoCodeSale } from "../../wallet/promo-codes/PromoCodes.ts"
import { type Charge, isLimited, Wallets } from "../../wallet/Wallets.ts"
import * as BilledCall from "../../provider/BilledCall.ts"
import { Order, type OrderId } from "../Order.ts"
import type { WantedOrder } from "./OrderRequest.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import type { OrderTerms } from "./OrderTerms.ts"
import { payingKey } from "../../wallet/PayingKey.ts"

const unprovisioned = {
  provider_proxy_id: null,
  host: null,
  port: null,
  username: null,
  password: null,
  cycle_started_at: null,
  expiring_at: null,
  expires_at: null
}

interface Bought {
  readonly caller: Caller["Service"]
  readonly request: WantedOrder
  readonly offer: Offer
  readonly terms: OrderTerms
}

/** What one order of a request costs. */
type Priced = Pick<Order, "id" | "promo_code_id" | "discount" | "discount_usd" | "total" | "total_usd">
type Ids = Arr.NonEmptyReadonlyArray<OrderId>
type Prices = Arr.NonEmptyReadonlyArray<Priced>

const sum = (prices: Prices) => prices.reduce((sum, { total }) => sum + total, 0n)

/** Gateways take whole cents or stars; what that is more than the price stays in the wallet. */
const payable = { USD: 10_000n, STAR: 1n } as const
const roundedUp = (amount: bigint, unit: bigint) => ((amount + unit - 1n) / unit) * unit

export const saleOf = (
  { user_id }: Pick<Caller["Service"], "user_id">,
  code: string,
  { offer, quantity, terms }: Pick<Bought, "offer" | "terms"> & { readonly quantity: number }
): PromoCodeSale => ({
  user_id,
  code,
  offer_id: offer.id,
  currency: terms.currency,
  unit_price: terms.unit_price,
  unit_price_usd: terms.unit_price_usd,
  quantity
})

type Payment = Pick<Order, "status" | "payment_intent_id">

const orderOf = (
  price: Priced,
  payment: Payment,
  { caller, offer, request, terms }: Bought,
  provision_at: DateTime.Utc
) =>
  Order.insert.makeEffect({
    ...price,
    ...payment,
    user_id: caller.user_id,
    api_key_id: caller.credential._tag === "api_key" ? caller.credential.api_key_id : null,
    offer_id: offer.id,
    provider: offer.provider,
    external_id: offer.external_id,
    proxy_status: "pending",
    proxy_type: offer.kind,
    mode: offer.mode,
    ip_version: offer.ip_version,
    protocol: terms.protocol,
    country: terms.country,
    city: terms.city,
    period_days: terms.option.period_days,
    period_months: terms.option.period_months,
    tarification_index: terms.tarification_index,
    bandwidth_gb: terms.bandwidth_gb,
    currency: terms.currency,
    payment_method: request.payment_method,
    payment_url: null,
    auto_renew: request.auto_renew,
    notes: request.notes ?? null,
    ...unprovisioned,
    provision_at
  })

const plainly = (ids: Ids, { terms: { unit_price, unit_price_usd } }: Pick<Bought, "terms">): Prices => {
  const price = { promo_code_id: null, discount: 0n, discount_usd: 0n, total: unit_price, total_usd: unit_price_usd }
  return Arr.map(ids, (id) => ({ id, ...price }))
}

const makePricing = Effect.gen(function* () {
  const promoCodes = yield* PromoCodes

  return Effect.fnUntraced(function* (ids: Ids, { caller, request, ...sold }: Bought) {
    const { unit_price, unit_price_usd } = sold.terms
    if (request.promo_code === undefined) return plainly(ids, sold)
    const sale = saleOf(caller, request.promo_code, { ...sold, quantity: ids.length })
    const { orders, promo_code_id } = yield* promoCodes.redeem({ ...sale, order_ids: ids })
    return Arr.zipWith(ids, orders, (id, { discount, discount_usd }): Priced => ({
      id,
      promo_code_id,
      discount,
      discount_usd,
      total: unit_price - discount,
      total_usd: unit_price_usd - discount_usd
    }))
  })
})

const chargeOf = (prices: Prices, { caller, offer, terms }: Bought): Charge => ({
  user_id: caller.user_id,
  currency: terms.currency,
  api_key: payingKey(caller),
  entries: prices.map(({ id, total, total_usd }) => ({
    order_id: id,
    reference: id,
    amount: total,
    amount_usd: total_usd,
    description: `${offer.name}, ${terms.option.period_name}`
  }))
})

const paid = { status: "paid", payment_intent_id: null } as const

const rowsOf = Effect.fnUntraced(function* (prices: Prices, payment: Payment, bought: Bought) {
  const provisionAt = DateTime.add(yield* DateTime.now, BilledCall.lease)
  return yield* Effect.forEach(prices, (price) => Effect.orDie(orderOf(price, payment, bought, provisionAt)))
})

/** Whether nothing but the wallet's balance decides on a purchase: no promo code, no daily limit, no payment from outside. */
export const isPlain = ({ caller, request }: Pick<Bought, "caller" | "request">) =>
  request.payment_method === "wallet" && request.promo_code === undefined && !isLimited({ api_key: payingKey(caller) })

/**
 * Inserts the orders of a request, paid from the wallet or waiting for a payment from outside. All of it happens or none:
 * in the caller's transaction, or, when the purchase is plain, in one statement (architecture section 6).
 */
export const make = Effect.gen(function* () {
  const orders = yield* OrdersRepo
  const payments = yield* Payments
  const price = yield* makePricing
  const wallets = yield* Wallets

  const fromOutside = Effect.fnUntraced(function* (prices: Prices, bought: Bought, payment_method: GatewayMethod) {
    const { caller, terms } = bought
    const { id } = yield* payments.prepare({
      user_id: caller.user_id,
      purpose: "order",
      payment_method,
      currency: terms.currency,
      amount: roundedUp(sum(prices), payable[terms.currency]),
      items: prices.length,
      description: prices.length === 1 ? "Payment for an order" : `Payment for ${prices.length} orders`
    })
    return { status: "waiting_payment", payment_intent_id: id } as const
  })

  const inTransaction = Effect.fnUntraced(function* (ids: Ids, bought: Bought) {
    const { payment_method } = bought.request
    const prices = yield* price(ids, bought)
    if (payment_method !== "wallet") {
      const payment = yield* fromOutside(prices, bought, payment_method)
      return yield* orders.insert(yield* rowsOf(prices, payment, bought))
    }
    yield* wallets.charge(chargeOf(prices, bought))
    return yield* orders.insert(yield* rowsOf(prices, paid, bought))
  })

  /** A plain purchase, together with the claim of a key; undefined when another request has claimed it. */
  const atOnce = Effect.fnUntraced(function* (ids: Ids, bought: Bought, claiming: StatementPart | undefined) {
    const prices = plainly(ids, bought)
    const charge = chargeOf(prices, bought)
    const rows = yield* rowsOf(prices, paid, bought)
    const made = yield* orders.purchase(rows, (when) => wallets.charging(charge, when), claiming)
    return made === "too little money" ? yield* wallets.refuse(charge) : made
  })

  return { inTransaction, atOnce }
})
