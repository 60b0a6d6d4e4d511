import { Array as Arr, DateTime, Effect } from "effect"
import type { Caller } from "../../accounts/Caller.ts"
import type { StatementPart } from "../../platform/postgres/Atomically.ts"
import * as BilledCall from "../../provider/BilledCall.ts"
import { payingKey } from "../../wallet/PayingKey.ts"
import type { PaymentMethod as GatewayMethod } from "../../wallet/PaymentMethod.ts"
import { Payments } from "../../wallet/payments/Payments.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import { VerifiedBuyers } from "../../wallet/VerifiedBuyers.ts"
import { type Charge, isLimited, Wallets } from "../../wallet/Wallets.ts"
import { Order, type OrderId } from "../Order.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import * as AgreeOrder from "./AgreeOrder.ts"
import * as OrderPrices from "./OrderPrices.ts"
import type { WantedOrder } from "./OrderRequest.ts"

/** A request of a caller, and the ids of its orders: as many as `request.quantity`. */
export interface Purchase {
  readonly caller: Caller["Service"]
  readonly request: WantedOrder
  readonly ids: Arr.NonEmptyReadonlyArray<OrderId>
}

interface Agreed extends Purchase, AgreeOrder.AgreedOrder {}

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

type Payment = Pick<Order, "status" | "payment_intent_id">

const fromWallet: Payment = { status: "paid", payment_intent_id: null }

const newOrders = Effect.fnUntraced(function* (
  { caller, ids, offer, request, terms }: Agreed,
  prices: OrderPrices.OrderPrices,
  payment: Payment
) {
  const order = {
    ...payment,
    user_id: caller.user_id,
    api_key_id: caller.credential._tag === "api_key" ? caller.credential.api_key_id : null,
    offer_id: offer.id,
    provider: offer.provider,
    external_id: offer.external_id,
    proxy_status: "pending" as const,
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
    provision_at: DateTime.add(yield* DateTime.now, BilledCall.lease)
  }
  const rows = Arr.zipWith(ids, prices, (id, price) => Order.insert.makeEffect({ id, ...price, ...order }))
  return yield* Effect.orDie(Effect.all(rows))
})

const chargeOf = ({ caller, ids, offer, terms }: Agreed, prices: OrderPrices.OrderPrices): Charge => ({
  user_id: caller.user_id,
  currency: terms.currency,
  api_key: payingKey(caller),
  entries: Arr.zipWith(ids, prices, (id, { total, total_usd }) => ({
    order_id: id,
    reference: id,
    amount: total,
    amount_usd: total_usd,
    description: `${offer.name}, ${terms.option.period_name}`
  }))
})

/** Gateways take whole cents or stars. The part above the price stays in the wallet. */
const payable = { USD: 10_000n, STAR: 1n } as const
const roundedUp = (amount: bigint, unit: bigint) => ((amount + unit - 1n) / unit) * unit

/** True when only the balance decides: no promo code, no daily limit of a key, no payment from outside. */
const isPlain = ({ caller, request }: Purchase) =>
  request.payment_method === "wallet" && request.promo_code === undefined && !isLimited({ api_key: payingKey(caller) })

/** Agrees on the price of a purchase, pays for it and inserts the orders. */
const makeSteps = Effect.gen(function* () {
  const agree = yield* AgreeOrder.make
  const buyers = yield* VerifiedBuyers
  const orders = yield* OrdersRepo
  const payments = yield* Payments
  const promoCodes = yield* PromoCodes
  const wallets = yield* Wallets

  const admit = Effect.fnUntraced(function* (purchase: Purchase) {
    yield* buyers.admit(purchase.caller)
    return { ...purchase, ...(yield* agree(purchase.request)) }
  })

  const price = Effect.fnUntraced(function* ({ caller, ids, request, ...agreed }: Agreed) {
    if (request.promo_code === undefined) return OrderPrices.full(agreed.terms, ids.length)
    const sale = OrderPrices.saleOf(caller.user_id, request.promo_code, agreed, ids.length)
    return OrderPrices.reduced(agreed.terms, yield* promoCodes.redeem({ ...sale, order_ids: ids }))
  })

  const fromOutside = Effect.fnUntraced(function* (
    { caller, ids, terms }: Agreed,
    prices: OrderPrices.OrderPrices,
    payment_method: GatewayMethod
  ) {
    const { id } = yield* payments.prepare({
      user_id: caller.user_id,
      purpose: "order",
      payment_method,
      currency: terms.currency,
      amount: roundedUp(OrderPrices.sum(prices).total, payable[terms.currency]),
      items: ids.length,
      description: ids.length === 1 ? "Payment for an order" : `Payment for ${ids.length} orders`
    })
    return { status: "waiting_payment", payment_intent_id: id } satisfies Payment
  })

  const inTransaction = Effect.fnUntraced(function* (purchase: Purchase) {
    const { payment_method } = purchase.request
    const agreed = yield* admit(purchase)
    const prices = yield* price(agreed)
    if (payment_method !== "wallet") {
      const payment = yield* fromOutside(agreed, prices, payment_method)
      return yield* orders.insert(yield* newOrders(agreed, prices, payment))
    }
    yield* wallets.charge(chargeOf(agreed, prices))
    return yield* orders.insert(yield* newOrders(agreed, prices, fromWallet))
  })

  const inOneStatement = Effect.fnUntraced(function* (purchase: Purchase, claiming: StatementPart | undefined) {
    const agreed = yield* admit(purchase)
    const prices = OrderPrices.full(agreed.terms, agreed.ids.length)
    const charge = chargeOf(agreed, prices)
    const charging = yield* wallets.charging(charge, orders.isClaimed)
    const rows = yield* newOrders(agreed, prices, fromWallet)
    const bought = yield* orders.purchase(rows, charging, claiming)
    return bought === "too little money" ? yield* wallets.refuse(charge) : bought
  })

  return { inTransaction, inOneStatement }
})

/**
 * Buys all the orders of a request or none: admits the buyer, agrees on the terms, charges the wallet or prepares a
 * payment from outside, and inserts the orders. Returns the charge that `Idempotency` performs once for a key. A plain
 * purchase is one statement, which contains the claim of the key. Any other purchase runs in one transaction with the
 * claim. `onBought` receives the inserted orders; it is not called when another request has claimed the key.
 */
export const make = Effect.map(makeSteps, ({ inOneStatement, inTransaction }) => {
  return (purchase: Purchase, onBought: (orders: ReadonlyArray<Order>) => void) => {
    if (!isPlain(purchase)) return Effect.map(inTransaction(purchase), onBought)
    return (claiming: StatementPart | undefined) =>
      Effect.map(inOneStatement(purchase, claiming), (bought) => {
        if (bought !== undefined) onBought(bought)
        return bought !== undefined
      })
  }
})
