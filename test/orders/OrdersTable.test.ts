import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { OrderPlacement } from "../../src/orders/checkout/OrderPlacement.ts"
import { nextOrderStatuses, nextProxyStatuses, OrderStatus, ProxyStatus } from "../../src/orders/OrderStatus.ts"
import * as Testing from "../support/OrderTesting.ts"

/** True when the trigger allows a column to change between two values. Disables every other rule of the table. */
const allows = Effect.fnUntraced(function* (id: string, column: "status" | "proxy_status", from: string, to: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.gen(function* () {
    yield* sql`ALTER TABLE proxy_order DISABLE TRIGGER USER`
    yield* sql`UPDATE proxy_order SET ${sql(column)} = ${from} WHERE id = ${id}`
    yield* sql`ALTER TABLE proxy_order ENABLE TRIGGER proxy_order_moves`
    yield* sql`UPDATE proxy_order SET ${sql(column)} = ${to} WHERE id = ${id}`
    return yield* Effect.fail("allowed" as const)
  }).pipe(
    sql.withTransaction,
    Effect.flip,
    Effect.map((answer) => answer === "allowed")
  )
})

const withoutChecks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const checks = yield* sql<{ name: string }>`
    SELECT conname AS name FROM pg_constraint WHERE conrelid = 'proxy_order'::regclass AND contype = 'c'
  `
  yield* Effect.forEach(checks, ({ name }) => sql`ALTER TABLE proxy_order DROP CONSTRAINT ${sql(name)}`)
})

const newOrder = Effect.gen(function* () {
  const caller = yield* Testing.buyer(10_000_000n)
  const placement = yield* OrderPlacement
  const { orders } = yield* placement.place(caller, yield* Testing.request(), undefined)
  return orders[0]?.id ?? ""
})

layer(Testing.layer)("The order table", (it) => {
  it.effect.each([
    ["a provisioned order without a proxy", "provider_proxy_id = NULL"],
    ["half a proxy", "password = NULL"],
    ["a live proxy on an order that is not provisioned", "status = 'refunded'"],
    ["a proxy that expires before it expires", "expiring_at = expires_at + interval '1 day'"],
    ["a negative price", "total = -1"],
    ["an unknown status", "status = 'lost'"]
  ] as const)("refuses %s", ([, change]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = yield* newOrder
      const error = yield* Effect.flip(sql`UPDATE proxy_order SET ${sql.literal(change)} WHERE id = ${id}`)
      assert.isTrue(SqlError.isSqlError(error))
      assert.strictEqual(error.reason._tag, "ConstraintError")
    })
  )

  it.effect("refuses every move that the state machines do not contain", () =>
    Effect.gen(function* () {
      const id = yield* newOrder
      yield* withoutChecks
      for (const from of OrderStatus.literals)
        for (const to of OrderStatus.literals.filter((to) => to !== from))
          assert.strictEqual(
            yield* allows(id, "status", from, to),
            nextOrderStatuses[from].includes(to),
            `${from} → ${to}`
          )
      for (const from of ProxyStatus.literals)
        for (const to of ProxyStatus.literals.filter((to) => to !== from))
          assert.strictEqual(
            yield* allows(id, "proxy_status", from, to),
            nextProxyStatuses[from].includes(to),
            `${from} → ${to}`
          )
    })
  )
})
