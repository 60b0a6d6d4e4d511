import { Array as Arr, type DateTime, Effect, Order as Ordering } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import type { OrderFilter } from "../../src/orders/OrderFilter.ts"
import * as OrderRows from "../support/OrderRows.ts"

/** The final status of each kind of seeded order, and the way to it. */
const paths = {
  new: [],
  waiting_payment: ["waiting_payment"],
  paid: ["paid"],
  provisioning_failed: ["paid", "provisioning_failed"],
  refunded: ["paid", "provisioning_failed", "refunded"],
  cancelled: ["waiting_payment", "cancelled"],
  active: ["paid", "provisioned"],
  released: ["paid", "provisioned", "cancelled"],
  expiring: ["paid", "provisioned", "expiring"],
  expired: ["paid", "provisioned", "expiring", "expired"]
} as const

export type State = keyof typeof paths
export const states = Object.keys(paths) as Array<State>
export const kinds = ["datacenter", "residential", "mobile"] as const

export interface SeededOrder {
  readonly state: State
  readonly proxy_type: (typeof kinds)[number]
  readonly created_at: DateTime.Utc
}

const expected = {
  new: ["new", "pending"],
  waiting_payment: ["waiting_payment", "pending"],
  paid: ["paid", "pending"],
  provisioning_failed: ["provisioning_failed", "pending"],
  refunded: ["refunded", "cancelled"],
  cancelled: ["cancelled", "cancelled"],
  active: ["provisioned", "active"],
  released: ["cancelled", "cancelled"],
  expiring: ["provisioned", "expiring"],
  expired: ["expired", "expired"]
} as const satisfies Record<State, readonly [string, string]>

/** The ids that a list with this filter contains, newest first. */
export const matching = (orders: ReadonlyArray<SeededOrder & { readonly id: string }>, filter: OrderFilter) =>
  orders
    .filter(({ proxy_type, state }) => {
      const [status, proxy_status] = expected[state]
      return (
        (filter.status ?? status) === status &&
        (filter.proxy_type ?? proxy_type) === proxy_type &&
        (filter.proxy_status ?? proxy_status) === proxy_status
      )
    })
    .toSorted(
      (a, b) =>
        Ordering.Number(b.created_at.epochMilliseconds, a.created_at.epochMilliseconds) || (a.id < b.id ? 1 : -1)
    )
    .map(({ id }) => id)

const steps = {
  waiting_payment: "status = 'waiting_payment'",
  paid: "status = 'paid'",
  provisioning_failed: "status = 'provisioning_failed'",
  refunded: "status = 'refunded', proxy_status = 'cancelled'",
  provisioned: OrderRows.handedOut,
  expiring: "proxy_status = 'expiring'",
  expired: "status = 'expired', proxy_status = 'expired'",
  cancelled: "status = 'cancelled', proxy_status = 'cancelled'"
}

/** Creates unpaid payments for these orders. */
export const withoutPayments = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.orDie(sql`ALTER TABLE proxy_order DROP CONSTRAINT IF EXISTS proxy_order_waits_for_payment`)
)

/** Inserts orders and moves them to their statuses, kind by kind. */
export const seed = Effect.fnUntraced(function* (user_id: UserId, orders: ReadonlyArray<SeededOrder>) {
  const sql = yield* SqlClient.SqlClient
  const [offer] = yield* sql<{ id: number }>`SELECT min(id) AS id FROM offer`
  const made = orders.map((order) => ({ ...order, id: randomUUID() as string }))
  if (!Arr.isReadonlyArrayNonEmpty(made)) return made
  const rows = Arr.map(made, ({ created_at, id, proxy_type }) => ({
    ...OrderRows.paidOrder(id, user_id, created_at),
    offer_id: offer?.id ?? 0,
    external_id: "seeded",
    status: "new",
    proxy_type
  }))
  yield* sql`INSERT INTO proxy_order ${sql.insert(rows)}`
  for (const [step, change] of Object.entries(steps)) {
    const moved = made.filter(({ state }) => paths[state].some((through) => through === step)).map(({ id }) => id)
    if (moved.length > 0) yield* sql`UPDATE proxy_order SET ${sql.literal(change)} WHERE ${sql.in("id", moved)}`
  }
  return made
}, Effect.orDie)
