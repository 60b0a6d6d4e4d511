import { Array as Arr, Context, Effect, Fiber, FiberSet, Layer, Option, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../../accounts/Caller.ts"
import type { OfferNotFound } from "../../catalog/CatalogErrors.ts"
import type { Offer } from "../../catalog/Offer.ts"
import { Catalog } from "../../catalog/Catalog.ts"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import type { IdempotencyKeyReused, RequestStillRunning } from "../../idempotency/IdempotencyErrors.ts"
import type { StatementPart } from "../../platform/postgres/Atomically.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Providers } from "../../provider/Providers.ts"
import {
  type PaymentMethodNotOffered,
  PaymentMethodUnavailable,
  type TooManyOpenPayments,
  type TooManyUnpaidOrders
} from "../../wallet/PaymentErrors.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import { VerifiedBuyers } from "../../wallet/VerifiedBuyers.ts"
import type { EmailNotVerified } from "../../wallet/WalletErrors.ts"
import type { ChargeRefused } from "../../wallet/Wallets.ts"
import { type Order, OrderId } from "../Order.ts"
import * as OrderCheckout from "./OrderCheckout.ts"
import { type OfferMismatch, OfferOutOfStock } from "./CheckoutErrors.ts"
import { OrderPaymentsRepo } from "./OrderPaymentsRepo.ts"
import { fingerprint, type WantedOrder } from "./OrderRequest.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import { agree, type OrderTerms } from "./OrderTerms.ts"
import { OrderView, type ShownOrder, view } from "../OrderView.ts"
import { Provisioning } from "../provisioning/Provisioning.ts"
import * as Purchase from "./Purchase.ts"

/** How long a request waits for its proxies; what is not ready then is finished in the background. */
const patience = "10 seconds"
const concurrency = 16
/** Calls of one provider under way at once in this process, over all requests. */
const callsAtOnce = 64

type QuoteError = OfferNotFound | OfferMismatch | OfferOutOfStock | RequestInvalid
type PlacementError =
  | QuoteError
  | ChargeRefused
  | PaymentMethodNotOffered
  | PaymentMethodUnavailable
  | TooManyOpenPayments
  | TooManyUnpaidOrders
  | EmailNotVerified
  | IdempotencyKeyReused
  | RequestStillRunning

/** An offer on the terms of a request. */
interface Sold {
  readonly offer: Offer
  readonly terms: OrderTerms
}

/** The same, how many of it, and what is to pay for all of them. */
export interface Quote extends Sold {
  readonly quantity: number
  readonly discount: bigint
  readonly total: bigint
  /** In micro-dollars. */
  readonly total_usd: bigint
}

interface Placed {
  readonly orders: ReadonlyArray<OrderView>
  /** Whether an earlier request with the same key made the answer. */
  readonly replayed: boolean
}

/**
 * Buys proxies: all the orders of a request or none, each charged once and provisioned once (decisions section 5). What
 * is paid from outside waits for its payment.
 */
export class OrderPlacement extends Context.Service<
  OrderPlacement,
  {
    readonly quote: (
      caller: Pick<Caller["Service"], "user_id">,
      request: WantedOrder
    ) => Effect.Effect<Quote, QuoteError>
    readonly place: (
      caller: Caller["Service"],
      request: WantedOrder,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Placed, PlacementError>
  }
>()("app/orders/OrderPlacement") {
  static readonly layerNoDeps = Layer.effect(
    OrderPlacement,
    Effect.gen(function* () {
      const buyers = yield* VerifiedBuyers
      const idempotency = yield* Idempotency
      const purchase = yield* Purchase.make
      const agreed = yield* makeAgreed
      const complete = yield* makeComplete

      const place = Effect.fnUntraced(function* (
        caller: Caller["Service"],
        request: WantedOrder,
        idempotencyKey: string | undefined
      ) {
        const ids = Arr.makeBy(request.quantity, () => OrderId.make(SecureRandom.uuidV7Unsafe()))
        let bought: ReadonlyArray<Order> = []
        const inTransaction = Effect.gen(function* () {
          yield* buyers.admit(caller)
          bought = yield* purchase.inTransaction(ids, { caller, request, ...(yield* agreed(request)) })
        })
        const atOnce = Effect.fnUntraced(function* (claiming: StatementPart | undefined) {
          yield* buyers.admit(caller)
          const made = yield* purchase.atOnce(ids, { caller, request, ...(yield* agreed(request)) }, claiming)
          bought = made ?? []
          return made !== undefined
        })
        const { answer, replayed } = yield* idempotency.perform(
          { user_id: caller.user_id, operation: "orders.create", key: idempotencyKey, body: fingerprint(request) },
          {
            reference: ids,
            charge: Purchase.isPlain({ caller, request }) ? atOnce : inTransaction,
            // A request that takes over after a crash has bought nothing itself: the sweep is at work on its orders.
            finish: (reference): Effect.Effect<Schema.Json, PlacementError> => complete(reference, bought)
          }
        )
        return { orders: yield* Effect.orDie(decodeViews(answer)), replayed }
      })

      return OrderPlacement.of({ quote: yield* makeQuote(agreed), place })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([OrderPaymentsRepo.layer, OrdersRepo.layer, Provisioning.layer, VerifiedBuyers.layer])
  )
}

const decodeViews = Schema.decodeUnknownEffect(Schema.Array(OrderView))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(OrderId))

const makeAgreed = Effect.gen(function* () {
  const catalog = yield* Catalog
  const providers = yield* Providers

  return Effect.fnUntraced(function* (request: WantedOrder): Effect.fn.Return<Sold, QuoteError> {
    const offer = yield* catalog.offer(request.offer_id)
    const terms = yield* agree(offer, request)
    // The catalog is as old as its last sync; the provider knows in memory what is left.
    const left = yield* providers.get(offer.provider)?.stock?.known ?? Effect.succeed(Infinity)
    if (!offer.is_available || left <= 0) return yield* new OfferOutOfStock({ details: {} })
    if (left < request.quantity)
      return yield* new OfferOutOfStock({
        detail: `Only ${left} left at this offer's provider; order no more`,
        details: {}
      })
    return { offer, terms }
  })
})

const makeQuote = Effect.fnUntraced(function* (agreed: Effect.Success<typeof makeAgreed>) {
  const promoCodes = yield* PromoCodes

  return Effect.fn("OrderPlacement.quote")(function* (
    caller: Pick<Caller["Service"], "user_id">,
    request: WantedOrder
  ) {
    const { promo_code, quantity } = request
    const sold = yield* agreed(request)
    const reduced =
      promo_code === undefined
        ? []
        : (yield* promoCodes.quote(Purchase.saleOf(caller, promo_code, { ...sold, quantity }))).orders
    const { unit_price, unit_price_usd } = sold.terms
    const discount = reduced.reduce((sum, order) => sum + order.discount, 0n)
    const discount_usd = reduced.reduce((sum, order) => sum + order.discount_usd, 0n)
    return {
      ...sold,
      quantity,
      discount,
      total: unit_price * BigInt(quantity) - discount,
      total_usd: unit_price_usd * BigInt(quantity) - discount_usd
    }
  })
})

/** Provisions what was paid, until the patience ends; answers the orders whose proxies were handed out by then. */
const makeDelivery = Effect.gen(function* () {
  const provisioning = yield* Provisioning
  const calls = new Map<string, Semaphore.Semaphore>()
  const background = yield* FiberSet.make()

  const call = (order: Order) => {
    const permits = calls.get(order.provider) ?? Semaphore.makeUnsafe(callsAtOnce)
    calls.set(order.provider, permits)
    return permits.withPermits(1)(provisioning.provision(order))
  }

  return Effect.fnUntraced(function* (paid: ReadonlyArray<Order>) {
    let delivered: ReadonlyArray<ShownOrder | void> = []
    const work = Effect.map(Effect.forEach(paid, call, { concurrency }), (orders) => {
      delivered = orders
    })
    const fiber = yield* FiberSet.run(background, Effect.interruptible(work))
    // A client that leaves or a service that stops ends the waiting, and still leaves an answer behind.
    yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience)))
    return delivered.filter((order) => order !== undefined)
  })
})

/** Delivers what was paid, asks for the payment of what was not, and answers whatever is true then. */
const makeComplete = Effect.gen(function* () {
  const orders = yield* OrdersRepo
  const deliver = yield* makeDelivery
  const checkout = yield* OrderCheckout.make

  return Effect.fnUntraced(function* (reference: Schema.Json, bought: ReadonlyArray<Order>) {
    const ids = yield* Effect.orDie(decodeIds(reference))
    const first = Arr.head(bought.length > 0 ? bought : yield* orders.findMany(ids.slice(0, 1)))
    let delivered: ReadonlyArray<ShownOrder> = []
    if (Option.isSome(first) && first.value.payment_method !== "wallet") yield* checkout(first.value)
    else delivered = yield* deliver(bought)
    const made = delivered.length === ids.length ? delivered : yield* orders.findMany(ids)
    if (made.length === 0) return yield* new PaymentMethodUnavailable()
    return made.map((order) => view(order))
  })
})
