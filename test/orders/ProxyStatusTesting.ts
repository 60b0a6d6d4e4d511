import { DateTime, Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import { OrderId } from "../../src/orders/Order.ts"
import { OrderPlacement } from "../../src/orders/OrderPlacement.ts"
import * as Testing from "../support/OrderTesting.ts"

/** An enabled endpoint of the account. */
export const endpointOf = Effect.fnUntraced(function* (user_id: UserId) {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  const signing_secret = `whsec_${"0123456789abcdef".repeat(4)}`
  const endpoint = {
    id: randomUUID(),
    user_id,
    event_type: "proxy.status_changed",
    url: "https://example.com/hooks",
    enabled: true,
    signing_secret,
    secret_preview: "whsec_012345...abcdef",
    created_at: now,
    updated_at: now
  }
  yield* sql`INSERT INTO webhook_endpoint ${sql.insert(endpoint)}`
  return endpoint.id
})

type Fields = Readonly<Record<string, unknown>>

const placed = Effect.fnUntraced(function* (balance: bigint, fields: Fields) {
  const caller = yield* Testing.buyer(balance)
  const endpoint = yield* endpointOf(caller.user_id)
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

/** What was recorded of an order, in the order of its happening, with its deliveries. */
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

/** Does something in a transaction that is committed when it is let go on. */
export const held = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const [done, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const steps = Effect.all([effect, Deferred.succeed(done, undefined), Deferred.await(release)])
  const running = yield* Effect.forkChild(sql.withTransaction(steps))
  yield* Deferred.await(done)
  return { running, open: Deferred.succeed(release, undefined) }
})

/** Comes when a connection to the database waits for another. */
export const somebodyWaits = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.repeat(sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, {
    until: (rows) => rows.length > 0
  })
)
