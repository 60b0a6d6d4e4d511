import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Record, wasMade } from "./Record.ts"
import type { VendorBook } from "./VendorBook.ts"

interface OrderRow {
  readonly id: string
  readonly notes: string | null
  readonly user_id: string
  readonly provider: string
  readonly status: string
  readonly provider_proxy_id: string | null
  readonly applied: number
}

const orderRows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<OrderRow>`
    SELECT id, notes, user_id, provider, status, provider_proxy_id,
      (SELECT count(*)::int FROM proxy_change c WHERE c.order_id = o.id AND c.status = 'applied') AS applied
    FROM proxy_order o
  `
)

const countsBy = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string) => {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
  return counts
}

/** Names an invariant once, with the first of what breaks it. */
const named = (name: string, broken: ReadonlyArray<string>): ReadonlyArray<string> =>
  broken.length === 0 ? [] : [`${name}: ${broken.length}, such as ${broken[0]}`]

/** Each request made its orders once or nothing at all, and whoever was told of an order has it. */
const orders = ({ orders }: Record, rows: ReadonlyArray<OrderRow>) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byKey = countsBy(rows, ({ notes }) => notes ?? "")
  const keys = new Set(orders.map(({ key }) => key))
  return [
    ...named(
      "every acknowledged order exists",
      orders.filter(wasMade).flatMap(({ account, answer, key }) =>
        answer!.body
          .filter(({ id }: { id: string }) => {
            const row = byId.get(id)
            return row?.notes !== key || row.user_id !== account.id
          })
          .map(({ id }: { id: string }) => id)
      )
    ),
    ...named("the orders are those of the distinct idempotency keys", [
      ...orders.flatMap((purchase) => {
        const made = byKey.get(purchase.key) ?? 0
        const isRight = wasMade(purchase)
          ? made === purchase.quantity
          : made === 0 || (purchase.answer === undefined && made === purchase.quantity)
        return isRight
          ? []
          : [`key ${purchase.key}: ${made} orders instead of ${wasMade(purchase) ? purchase.quantity : 0}`]
      }),
      ...rows.filter(({ notes }) => !keys.has(notes ?? "")).map(({ id }) => `order ${id} of no request`)
    ])
  ]
}

/** A change that somebody was told of was made, and none besides. */
const changes = ({ changes }: Record, rows: ReadonlyArray<OrderRow>) => {
  const made = countsBy(changes.filter(wasMade), ({ order_id }) => order_id ?? "")
  const open = countsBy(
    changes.filter(({ answer }) => answer === undefined),
    ({ order_id }) => order_id ?? ""
  )
  return named(
    "the changes that were made are the acknowledged ones",
    rows.flatMap(({ applied, id }) => {
      const told = made.get(id) ?? 0
      return applied >= told && applied <= told + (open.get(id) ?? 0)
        ? []
        : [`order ${id}: ${applied} instead of ${told}`]
    })
  )
}

/** What came in at the payment gateway was credited, once. */
const payments = Effect.fnUntraced(function* ({ deposits, payments }: Record) {
  const sql = yield* SqlClient.SqlClient
  const credited = yield* sql<{ charge: string; user_id: string; micros: string; times: number }>`
    SELECT external_id AS charge, user_id, sum(amount)::text AS micros, count(*)::int AS times FROM wallet_transaction
    WHERE transaction_type = 'deposit' AND status = 'completed' GROUP BY external_id, user_id
  `
  const byCharge = new Map(credited.map((row) => [row.charge, row]))
  const known = yield* sql<{ id: string }>`SELECT id FROM wallet_transaction WHERE transaction_type = 'deposit'`
  const ids = new Set(known.map(({ id }) => id))
  const charges = new Set([...payments.values()].map(({ charge_id }) => charge_id))
  return [
    ...named(
      "every acknowledged deposit exists",
      deposits.filter((id) => !ids.has(id))
    ),
    ...named("a payment is credited once, whole, and to whoever made it", [
      ...[...payments.values()].flatMap(({ amount, charge_id, isConfirmed, user_id }) => {
        const row = byCharge.get(charge_id)
        if (row === undefined) return isConfirmed ? [`${charge_id} never`] : []
        const isWhole = Number(row.micros) === Math.round(Number(amount) * 1e6) && row.user_id === user_id
        return isWhole && row.times === 1 ? [] : [`${charge_id} ${row.times} times, ${row.micros} in all`]
      }),
      ...credited.filter(({ charge }) => !charges.has(charge)).map(({ charge }) => `${charge}, which nobody paid`)
    ])
  ]
})

/** The vendor's own book against our orders. */
const leases = (book: VendorBook, rows: ReadonlyArray<OrderRow>) => {
  const live = rows.filter(({ provider, status }) => provider === "proxy-seller" && status === "provisioned")
  const byLease = new Map(live.map((row) => [row.provider_proxy_id ?? "", row]))
  return [
    ...named("the vendor's leases are the provisioned orders", [
      ...book.leases
        .filter((lease) => byLease.has(lease.order_id) === book.isReleased(lease))
        .map(
          (lease) =>
            `lease ${lease.order_id} ${book.isReleased(lease) ? "was released under its owner" : "has no order"}`
        ),
      ...live
        .filter(({ provider_proxy_id }) => book.lease(provider_proxy_id ?? "") === undefined)
        .map(({ id }) => `order ${id} has no lease`)
    ]),
    ...named(
      "the vendor prolonged what was paid for",
      book.leases.flatMap(({ order_id, prolonged }) => {
        const applied = byLease.get(order_id)?.applied ?? 0
        return prolonged === applied ? [] : [`lease ${order_id}: ${prolonged} times instead of ${applied}`]
      })
    )
  ]
}

/** Every delivery that is on record as made has arrived. */
const deliveries = Effect.fnUntraced(function* ({ received }: Record) {
  const sql = yield* SqlClient.SqlClient
  const delivered = yield* sql<{ id: string }>`SELECT event_id AS id FROM webhook_delivery WHERE status = 'delivered'`
  return named(
    "every delivered event has arrived",
    delivered.filter(({ id }) => !received.has(id)).map(({ id }) => id)
  )
})

/** Compares what clients, vendor and payment gateway know with what the database says. */
export const violations = Effect.fnUntraced(function* (record: Record, book: VendorBook) {
  const rows = yield* orderRows
  return [
    ...named("every request is answered, and always in the same words", record.contradictions),
    ...orders(record, rows),
    ...changes(record, rows),
    ...(yield* payments(record)),
    ...leases(book, rows),
    ...(yield* deliveries(record))
  ]
})
