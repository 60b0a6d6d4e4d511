import { Data, Effect, Option, Result, Schema } from "effect"
import { type Order, OrderId } from "../../orders/Order.ts"
import { Orders } from "../../orders/Orders.ts"
import type { Content } from "../../pages/Html.ts"
import { Lines } from "../../pages/FormSchemas.ts"
import { type Failure, faultsOf } from "../../pages/FormFaults.ts"
import { listOf } from "../../platform/fields/ListOf.ts"
import type { Visit } from "../desk/Visit.ts"

/** The most proxies of one form. */
export const chosenAtMost = 100

/** The proxies that are changed at the same time. */
const concurrency = 5

/** The ids of chosen proxies, in one field of a form. */
export const ChosenIds = Lines.pipe(Schema.decodeTo(listOf(OrderId, { minimum: 1, maximum: chosenAtMost })))

const decodeIds = Schema.decodeUnknownOption(ChosenIds)

/** Writes chosen proxies as one field. */
export const idsText = (orders: ReadonlyArray<Order>): string => orders.map(({ id }) => id).join(",")

class NothingChosen extends Data.TaggedError("NothingChosen")<{ readonly status: 422; readonly detail: string }> {}

/** The chosen ids: boxes of the list (`id`), or one field of a later page (`ids`). */
const idsIn = (query: URLSearchParams) => [...query.getAll("id"), query.get("ids") ?? ""].join(",")

/** Makes the function that reads chosen proxies. All of them must belong to the person. */
export const make = Effect.map(Orders, (orders) =>
  Effect.fnUntraced(function* ({ query, user }: Visit, given: string = idsIn(query)) {
    const ids = Option.getOrElse(decodeIds(given), () => [])
    if (ids.length === 0) return yield* new NothingChosen({ status: 422, detail: "Choose 1 to 100 proxies" })
    return yield* orders.several(user.id, [...new Set(ids)])
  })
)

interface Refusal {
  readonly order: Order
  readonly why: Content
}

/** What became of a change of several proxies. */
export interface Outcome {
  readonly done: ReadonlyArray<Order>
  readonly refused: ReadonlyArray<Refusal>
}

/** The first words of a failure. */
export const why = (failure: Failure): Content => Object.values(faultsOf(failure))[0]

/** Changes each of the proxies. A refusal does not keep the others from their change. */
export const each = Effect.fnUntraced(function* <A, E extends Failure, R>(
  orders: ReadonlyArray<Order>,
  change: (order: Order) => Effect.Effect<A, E, R>
) {
  const results = yield* Effect.forEach(orders, (order) => Effect.result(change(order)), { concurrency })
  return orders.reduce<Outcome>(
    ({ done, refused }, order, index) => {
      const result = results[index]
      return result !== undefined && Result.isFailure(result)
        ? { done, refused: [...refused, { order, why: why(result.failure) }] }
        : { done: [...done, order], refused }
    },
    { done: [], refused: [] }
  )
})
