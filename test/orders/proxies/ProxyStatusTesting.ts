import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as Testing from "../../support/OrderTesting.ts"

type Fields = Readonly<Record<string, unknown>>

const placed = Effect.fnUntraced(function* (balance: bigint, fields: Fields) {
  const caller = yield* Testing.buyer(balance)
  const { id: endpoint } = yield* Fixtures.newEndpoint(caller.user_id)
  const { orders } = yield* OrderPlacement.use((placement) =>
    Effect.flatMap(Testing.request(fields), (request) => placement.place(caller, request, undefined))
  )
  const ids = orders.map(({ id }) => OrderId.make(id))
  const [id] = ids
  if (id === undefined) return yield* Effect.die(new Error("nothing was ordered"))
  return { caller, user: caller.user_id, endpoint, id, ids }
})

/** Orders of an account that has an enabled endpoint. */
export const watched = Effect.fnUntraced(function* (
  name: "Datacenter" | "Residential" | "Mobile",
  fields: Fields = {}
) {
  const offer_id = yield* Testing.offerId(name)
  return yield* placed(100_000_000n, { offer_id, ...(name === "Mobile" && { tarification_index: 1 }), ...fields })
})

/** The same, waiting for a payment from outside. */
export const watchedWaiting = placed(0n, { payment_method: "card_gateway" })

interface Delivery {
  readonly endpoint_id: string
  readonly status: string
  readonly attempt: number
  readonly next_attempt_at: Date | null
  readonly finished_at: Date | null
}

interface Event {
  readonly user_id: string
  readonly is_test: boolean
  readonly change_source: string
  readonly host: string
  readonly port: number | null
  readonly protocol: string
  readonly status: string
  readonly previous_status: string
  readonly expires_at: Date | null
  readonly occurred_at: Date
}

/** The recorded events of an order, oldest first, with their deliveries. */
export const eventsOf = Effect.fnUntraced(function* (order: string) {
  const sql = yield* SqlClient.SqlClient
  const events = yield* sql<Event & { readonly id: string }>`
    SELECT id, user_id, is_test, change_source, host, port, protocol, status, previous_status, expires_at, occurred_at
    FROM webhook_event WHERE order_id = ${order} ORDER BY occurred_at, xmin::text::bigint
  `
  return yield* Effect.forEach(events, ({ id, ...event }) =>
    Effect.map(
      sql<Delivery>`
        SELECT endpoint_id, status, attempt, next_attempt_at, finished_at FROM webhook_delivery WHERE event_id = ${id}
      `,
      (deliveries) => ({ ...event, deliveries })
    )
  )
})

export const changes = (events: ReadonlyArray<Pick<Event, "previous_status" | "status">>) =>
  events.map(({ previous_status, status }) => `${previous_status} → ${status}`)
