import { Array as Arr, Data, DateTime, Effect, Option, Result } from "effect"
import type { Caller } from "../../accounts/Caller.ts"
import { Catalog } from "../../catalog/Catalog.ts"
import type { Claim } from "../../idempotency/Claim.ts"
import { Idempotency, type KeyedRequest } from "../../idempotency/Idempotency.ts"
import * as Money from "../../platform/Money.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { PaymentMethod as GatewayMethod } from "../../wallet/PaymentMethod.ts"
import { Payments } from "../../wallet/payments/Payments.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import { spenderOf } from "../../wallet/Spender.ts"
import { VerifiedBuyers } from "../../wallet/VerifiedBuyers.ts"
import { type Charge, isLimited, Wallets } from "../../wallet/Wallets.ts"
import type { OrderId, PlacedOrder } from "../Order.ts"
import { OfferChanged, PriceChanged } from "../OrderErrors.ts"
import { type AgreedOffer, OrdersRepo } from "../OrdersRepo.ts"
import * as AgreeOrder from "./AgreeOrder.ts"
import * as BuyTogether from "./BuyTogether.ts"
import { entryText } from "./EntryText.ts"
import { type Agreed, fromWallet, newOrders, type Payment } from "./NewOrders.ts"
import * as OrderPrices from "./OrderPrices.ts"
import type { WantedOrder } from "./OrderRequest.ts"
import * as QuotedPrice from "./QuotedPrice.ts"
import { QuotedPricesRepo } from "./QuotedPricesRepo.ts"

/** A request of a caller, and the ids of its orders: as many as `request.quantity`. */
export interface Purchase {
  readonly caller: Caller["Service"]
  readonly request: WantedOrder
  readonly ids: Arr.NonEmptyReadonlyArray<OrderId>
  /** Undefined when the request has no idempotency key. */
  readonly keyed: KeyedRequest | undefined
}

/**
 * The orders of a purchase, or the claim of an earlier request with its key. `claim` is none when it was
 * committed after the statement began; the caller reads it.
 */
type Bought =
  | { readonly _tag: "Bought"; readonly orders: Arr.NonEmptyReadonlyArray<PlacedOrder> }
  | { readonly _tag: "Claimed"; readonly keyed: KeyedRequest; readonly claim: Option.Option<Claim> }

/** Rolls back the transaction of a purchase whose key another request has claimed meanwhile. */
class KeyTaken extends Data.TaggedError("KeyTaken")<{ readonly keyed: KeyedRequest }> {}

/** A price that changes more often during one purchase is refused. */
const repricedAtMost = 3

/** Rolls back a purchase for an offer that has another price, or whose sale is paused. */
class PriceOutdated extends Data.TaggedError("PriceOutdated") {}

/** Refuses a price that is not the one that the customer agreed to. */
const agreedTo = Effect.fnUntraced(function* (
  { request, terms: { currency } }: Agreed,
  prices: OrderPrices.OrderPrices
) {
  const { expected_total } = request
  const { total } = OrderPrices.sum(prices)
  if (expected_total === undefined || expected_total === Money.toNumber(currency, total)) return prices
  return yield* new PriceChanged({ details: { total: Money.toDecimal(currency, total), currency } })
})

const chargeOf = ({ caller, ids, offer, terms }: Agreed, prices: OrderPrices.OrderPrices): Charge => ({
  user_id: caller.user_id,
  currency: terms.currency,
  spender: spenderOf(caller),
  entries: Arr.zipWith(ids, prices, (id, { total, total_usd }) => ({
    order_id: id,
    reference: id,
    amount: total,
    amount_usd: total_usd,
    description: entryText(offer, terms.option)
  }))
})

const agreedOffer = ({ caller: { user_id }, offer: { id, priced_at } }: Agreed): AgreedOffer => ({
  user_id,
  offer_id: id,
  priced_at
})

/** Gateways take whole cents or stars. The part above the price stays in the wallet. */
const payable = { USD: 10_000n, STAR: 1n } as const
const roundedUp = (amount: bigint, unit: bigint) => ((amount + unit - 1n) / unit) * unit

/** True when only the balance decides: no promo code, no daily limit of a key or an app, no payment from outside. */
const isPlain = ({ caller, request }: Purchase) =>
  request.payment_method === "wallet" && request.promo_code === undefined && !isLimited({ spender: spenderOf(caller) })

/** Agrees on a request, at the price that the account was quoted if the present one is higher. */
const makeAgreement = Effect.gen(function* () {
  const agree = yield* AgreeOrder.make
  const catalog = yield* Catalog
  const quotes = yield* QuotedPricesRepo

  return Effect.fnUntraced(function* ({ caller: { user_id }, request }: Purchase) {
    const agreed = yield* agree(request)
    const now = yield* DateTime.now
    // Another process may have quoted a price that an old catalog does not know.
    if ((yield* catalog.isCurrent) && !QuotedPrice.mayDiffer(agreed.offer, now)) return agreed
    const { offer, terms } = agreed
    const quoted = yield* quotes.find({ user_id, offer_id: offer.id, currency: terms.currency }, now)
    return QuotedPrice.atQuotedPrice(agreed, quoted) ?? (yield* new OfferChanged({ details: {} }))
  })
})

/** Agrees on the price of a purchase and records its payment. */
const makeParts = Effect.gen(function* () {
  const agree = yield* makeAgreement
  const buyers = yield* VerifiedBuyers
  const payments = yield* Payments
  const promoCodes = yield* PromoCodes
  const wallets = yield* Wallets

  const admit = Effect.fnUntraced(function* (purchase: Purchase) {
    yield* buyers.admit(purchase.caller)
    return { ...purchase, ...(yield* agree(purchase)) }
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

  const pay = Effect.fnUntraced(function* (agreed: Agreed, prices: OrderPrices.OrderPrices) {
    const { payment_method } = agreed.request
    if (payment_method !== "wallet") return yield* fromOutside(agreed, prices, payment_method)
    yield* wallets.charge(chargeOf(agreed, prices))
    return fromWallet
  })

  return { admit, price, pay }
})

/** True when the purchase itself made the claim, in a statement whose answer was lost. */
const isOwn = (claim: Option.Option<Claim>, { reference }: KeyedRequest) =>
  Option.exists(claim, (made) => JSON.stringify(made.reference) === JSON.stringify(reference))

/** A purchase that only the balance decides. */
const makeInOneStatement = Effect.gen(function* () {
  const { admit } = yield* makeParts
  const idempotency = yield* Idempotency
  const pay = yield* BuyTogether.make
  const wallets = yield* Wallets

  return Effect.fnUntraced(function* (purchase: Purchase) {
    const { keyed } = purchase
    const agreed = yield* admit(purchase)
    const prices = yield* agreedTo(agreed, OrderPrices.full(agreed.terms, agreed.ids.length))
    const orders = newOrders(agreed, prices, fromWallet, yield* DateTime.now)
    const charge = chargeOf(agreed, prices)
    const outcome = yield* pay({ keyed, charge, agreed: agreedOffer(agreed), orders })
    if (outcome?._tag === "Bought") return { ...outcome, orders } satisfies Bought
    if (outcome?._tag === "Outdated") return yield* new PriceOutdated()
    if (outcome?._tag === "Claimed" && keyed !== undefined) {
      const claim = Option.isSome(outcome.claim) ? outcome.claim : yield* idempotency.find(keyed)
      return (isOwn(claim, keyed) ? { _tag: "Bought", orders } : { _tag: "Claimed", keyed, claim }) satisfies Bought
    }
    return yield* wallets.refuse(charge)
  })
})

/**
 * Any other purchase. The claim comes last, because a purchase in one statement also locks the wallet before the key.
 * The opposite order would cause a deadlock.
 */
const makeInTransaction = Effect.gen(function* () {
  const { admit, pay, price } = yield* makeParts
  const atomically = yield* Atomically
  const idempotency = yield* Idempotency
  const repo = yield* OrdersRepo

  const isCurrent = Effect.fnUntraced(function* (agreed: Agreed) {
    if (yield* repo.isOutdated(agreedOffer(agreed))) return yield* new PriceOutdated()
  })

  const work = Effect.fnUntraced(function* (purchase: Purchase) {
    const agreed = yield* admit(purchase)
    yield* isCurrent(agreed)
    const prices = yield* agreedTo(agreed, yield* price(agreed))
    const payment = yield* pay(agreed, prices)
    // The offer may have changed while the purchase waited for the lock of the code or of the wallet.
    yield* isCurrent(agreed)
    const orders = newOrders(agreed, prices, payment, yield* DateTime.now)
    yield* repo.insert(orders)
    const { keyed } = purchase
    if (keyed !== undefined && !(yield* idempotency.claim(keyed))) return yield* new KeyTaken({ keyed })
    return { _tag: "Bought", orders } satisfies Bought
  }, atomically)

  return (purchase: Purchase) =>
    Effect.catchTag(work(purchase), "KeyTaken", ({ keyed }) =>
      Effect.succeed({ _tag: "Claimed", keyed, claim: Option.none() } satisfies Bought)
    )
})

/** Buys at the latest price: when that has changed, the process reads it and agrees again. */
const makeNew = Effect.gen(function* () {
  const catalog = yield* Catalog
  const inOneStatement = yield* makeInOneStatement
  const inTransaction = yield* makeInTransaction

  return (purchase: Purchase) =>
    (isPlain(purchase) ? inOneStatement(purchase) : inTransaction(purchase)).pipe(
      Effect.tapErrorTag("PriceOutdated", () => catalog.refresh),
      Effect.retry({ while: ({ _tag }) => _tag === "PriceOutdated", times: repricedAtMost }),
      Effect.catchTag("PriceOutdated", () => new OfferChanged({ details: {} }))
    )
})

/**
 * Buys all the orders of a request or none: admits the buyer, agrees on the terms, charges the wallet or prepares a
 * payment from outside, inserts the orders and claims the idempotency key, all at once. If an earlier request has the key,
 * its answer replaces a refusal, also one of the price.
 */
export const make = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const buyNew = yield* makeNew

  /** The statement of a plain purchase finds the claim itself, at a higher cost than a look-up. */
  const findEarlier = (purchase: Purchase, keyed: KeyedRequest) =>
    isPlain(purchase) ? idempotency.recall(keyed) : idempotency.find(keyed)

  return Effect.fnUntraced(function* (purchase: Purchase) {
    const { keyed } = purchase
    if (keyed === undefined) return yield* buyNew(purchase)
    const earlier = yield* findEarlier(purchase, keyed)
    if (Option.isSome(earlier)) return { _tag: "Claimed", keyed, claim: earlier } satisfies Bought
    const bought = yield* Effect.result(buyNew(purchase))
    if (Result.isSuccess(bought)) return bought.success
    const claim = yield* idempotency.find(keyed)
    return yield* Option.isSome(claim)
      ? Effect.succeed<Bought>({ _tag: "Claimed", keyed, claim })
      : Effect.fail(bought.failure)
  })
})
