import { type Array as Arr, Effect, Schema } from "effect"
import { Idempotency, type KeyedRequest } from "../../idempotency/Idempotency.ts"
import { PaymentMethodUnavailable } from "../../wallet/PaymentErrors.ts"
import { OrderId, type PlacedOrder } from "../Order.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import { type OrderView, orderView, storedOrderView } from "../OrderView.ts"
import type { WaitingRequest } from "../provisioning/Delivery.ts"
import * as AskForPayment from "./AskForPayment.ts"
import * as DeliverOrders from "./DeliverOrders.ts"

type NewOrders = Arr.NonEmptyReadonlyArray<PlacedOrder>

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(OrderId))

/** Reads the ids of the orders that a request created. */
export const readIds = (reference: Schema.Json) => Effect.orDie(decodeIds(reference))

/** Reads an answer that `keep` stored, also one of an older version: it is sent as it was. */
export const readAnswer = (answer: Schema.Json) => (answer as ReadonlyArray<OrderView>).map(storedOrderView)

/** Returns orders in their present state. Fails when they were removed, because their payment was not opened. */
const makePresent = Effect.map(OrdersRepo, (repo) =>
  Effect.fnUntraced(function* (ids: ReadonlyArray<OrderId>) {
    const found = yield* repo.findMany(ids)
    if (found.length === 0) return yield* new PaymentMethodUnavailable()
    return found.map((order) => orderView(order))
  })
)

/** Stores an answer with the key of its request. Frees the key when there is none. */
const makeKeep = Effect.map(
  Idempotency,
  (idempotency) =>
    <E>(keyed: KeyedRequest, answer: Effect.Effect<ReadonlyArray<OrderView>, E>) =>
      answer.pipe(
        Effect.tapError((error) => idempotency.giveUp(keyed, error)),
        Effect.flatMap((orders) => idempotency.keep(keyed, orders)),
        Effect.map(readAnswer)
      )
)

/** Delivers paid orders. The statement that delivers a single order also stores the answer. */
const makeDeliver = Effect.gen(function* () {
  const deliver = yield* DeliverOrders.make
  const idempotency = yield* Idempotency
  const keep = yield* makeKeep
  const present = yield* makePresent

  return Effect.fnUntraced(function* (orders: NewOrders, keyed: KeyedRequest | undefined) {
    const waiting: WaitingRequest | undefined =
      keyed === undefined || orders.length > 1
        ? undefined
        : { keyed, answerOf: (order) => [orderView(order)] satisfies ReadonlyArray<OrderView> }
    const delivered = yield* deliver(orders, waiting)
    const isComplete = delivered.length === orders.length
    const answer = isComplete
      ? Effect.succeed(delivered.map(({ order }) => orderView(order)))
      : present(orders.map(({ id }) => id))
    if (keyed === undefined) return yield* answer
    const [first] = delivered
    if (waiting === undefined || first === undefined) return yield* keep(keyed, answer)
    const kept = first.answer === null ? yield* answer : readAnswer(first.answer)
    if (first.is_kept) idempotency.remember(keyed, kept)
    return kept
  })
})

/**
 * Finishes bought orders, stores the answer with the key of the request, and returns it. Fails when the gateway did not
 * open the payment of the orders; they are then removed, and the key is free.
 */
export const make = Effect.gen(function* () {
  const repo = yield* OrdersRepo
  const askForPayment = yield* AskForPayment.make
  const deliver = yield* makeDeliver
  const keep = yield* makeKeep
  const present = yield* makePresent

  return {
    /** Delivers paid orders, or asks for the payment of the others. */
    finish: Effect.fnUntraced(function* (orders: NewOrders, keyed: KeyedRequest | undefined) {
      const [order] = orders
      if (order.payment_method === "wallet") return yield* deliver(orders, keyed)
      yield* askForPayment(order)
      const answer = present(orders.map(({ id }) => id))
      return yield* keyed === undefined ? answer : keep(keyed, answer)
    }),

    /** Continues after a crash. The recovery job provisions paid orders. */
    resume: Effect.fnUntraced(function* (keyed: KeyedRequest) {
      const ids = yield* readIds(keyed.reference)
      const [order] = yield* repo.findMany(ids.slice(0, 1))
      if (order !== undefined) yield* askForPayment(order)
      return yield* keep(keyed, present(ids))
    })
  }
})
