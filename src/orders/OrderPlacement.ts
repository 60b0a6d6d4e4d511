import { Array as Arr, Context, Effect, Fiber, FiberSet, Layer, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../accounts/Caller.ts"
import type { OfferNotFound } from "../catalog/CatalogErrors.ts"
import type { Offer } from "../catalog/Offer.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import type { IdempotencyKeyReused, RequestStillRunning } from "../idempotency/IdempotencyErrors.ts"
import { RequestInvalid } from "../platform/RequestInvalid.ts"
import type { DailySpendLimitReached, InsufficientBalance } from "../wallet/WalletErrors.ts"
import { type Order, OrderId } from "./Order.ts"
import { type OfferMismatch, OfferOutOfStock, PaymentMethodRefused } from "./OrderErrors.ts"
import type { OrderRequest } from "./OrderRequest.ts"
import { OrdersRepo } from "./OrdersRepo.ts"
import { agree, type OrderTerms } from "./OrderTerms.ts"
import { OrderView, view } from "./OrderView.ts"
import { Provisioning } from "./Provisioning.ts"
import * as Purchase from "./Purchase.ts"

/** How long a request waits for its proxies; what is not ready then is finished in the background. */
const patience = "10 seconds"
const concurrency = 16
/** Calls of one provider under way at once in this process, over all requests. */
const callsAtOnce = 64

type QuoteError = OfferNotFound | OfferMismatch | OfferOutOfStock | PaymentMethodRefused | RequestInvalid
type PlacementError =
  | QuoteError
  | InsufficientBalance
  | DailySpendLimitReached
  | IdempotencyKeyReused
  | RequestStillRunning

/** An offer, how many of it, on which terms. */
interface Quote {
  readonly offer: Offer
  readonly terms: OrderTerms
  readonly quantity: number
  readonly total: bigint
}

interface Placed {
  readonly orders: ReadonlyArray<OrderView>
  /** Whether an earlier request with the same key made the answer. */
  readonly replayed: boolean
}

/** Buys proxies: all the orders of a request or none, each charged once and provisioned once (decisions section 5). */
export class OrderPlacement extends Context.Service<
  OrderPlacement,
  {
    readonly quote: (request: OrderRequest) => Effect.Effect<Quote, QuoteError>
    readonly place: (
      caller: Caller["Service"],
      request: OrderRequest,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Placed, PlacementError>
  }
>()("app/orders/OrderPlacement") {
  static readonly layerNoDeps = Layer.effect(
    OrderPlacement,
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const idempotency = yield* Idempotency
      const purchase = yield* Purchase.make
      const deliver = yield* delivery

      const quote = Effect.fn("OrderPlacement.quote")(function* (request: OrderRequest) {
        if (request.promo_code !== undefined)
          return yield* RequestInvalid.at(["body", "promo_code"], "There is no such promo code")
        const offer = yield* catalog.offer(request.offer_id)
        const terms = yield* agree(offer, request)
        if (request.payment_method !== "wallet") return yield* new PaymentMethodRefused()
        if (!offer.is_available) return yield* new OfferOutOfStock({ details: {} })
        return { offer, terms, quantity: request.quantity, total: terms.unit_price * BigInt(request.quantity) }
      })

      const place = Effect.fn("OrderPlacement.place")(function* (
        caller: Caller["Service"],
        request: OrderRequest,
        idempotencyKey: string | undefined
      ) {
        const ids = Arr.makeBy(request.quantity, () => OrderId.make(SecureRandom.uuidV7Unsafe()))
        const { idempotency_key: _key, ...body } = request
        let bought: ReadonlyArray<Order> = []
        const { answer, replayed } = yield* idempotency.perform(
          { user_id: caller.user_id, operation: "orders.create", key: idempotencyKey, body },
          {
            reference: ids,
            charge: Effect.gen(function* () {
              const { offer, terms } = yield* quote(request)
              bought = yield* purchase(ids, { caller, request, offer, terms })
            }),
            // A request that takes over after a crash has bought nothing itself: the sweep is at work on its orders.
            finish: (reference) => deliver(reference, bought)
          }
        )
        return { orders: yield* Effect.orDie(decodeViews(answer)), replayed }
      })

      return OrderPlacement.of({ quote, place })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([OrdersRepo.layer, Provisioning.layer]))
}

const decodeViews = Schema.decodeUnknownEffect(Schema.Array(OrderView))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(OrderId))

/** Provisions what was bought and answers whatever is true when that is done, or when the patience ends. */
const delivery = Effect.gen(function* () {
  const orders = yield* OrdersRepo
  const provisioning = yield* Provisioning
  const calls = new Map<string, Semaphore.Semaphore>()
  const background = yield* FiberSet.make()

  const call = (order: Order) => {
    const permits = calls.get(order.provider) ?? Semaphore.makeUnsafe(callsAtOnce)
    calls.set(order.provider, permits)
    return permits.withPermits(1)(provisioning.provision(order))
  }

  return Effect.fnUntraced(function* (reference: Schema.Json, bought: ReadonlyArray<Order>) {
    const work = Effect.forEach(bought, call, { concurrency, discard: true })
    const fiber = yield* FiberSet.run(background, Effect.interruptible(work))
    // A client that leaves or a service that stops ends the waiting, and still leaves an answer behind.
    yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience)))
    const made = yield* orders.findMany(yield* Effect.orDie(decodeIds(reference)))
    return made.map((order) => view(order))
  })
})
