import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Orders } from "../../src/orders/Orders.ts"
import { OrdersRepo } from "../../src/orders/OrdersRepo.ts"
import { ListedOrderRow, OrderDetailsRow } from "../../src/orders/OrderView.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as Testing from "../support/OrderTesting.ts"
import { kinds, seed, states, withoutPayments } from "./ListedOrders.ts"

/** An account with orders of every kind in every status. A third of them has a value in each column that may be null. */
const seeded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const user = yield* Fixtures.newUser
  yield* withoutPayments
  const all = states.flatMap((state) => kinds.map((proxy_type) => ({ state, proxy_type })))
  const made = yield* seed(
    user,
    all.map((order, n) => ({ ...order, created_at: DateTime.makeUnsafe(n * 86_400_000 + n) }))
  )
  yield* sql`
    UPDATE proxy_order SET bandwidth_gb = 12.5, notes = 'Für später', city = 'Berlin', payment_url = 'https://pay.example',
      whitelisted_ips = '{192.0.2.1,2001:db8::1}', auto_renew = true, total_usd = ${2n ** 53n + 1n}
    WHERE user_id = ${user} AND proxy_type = 'mobile'
  `
  return { user, ids: made.map(({ id }) => id) }
})

/** The same columns of an order that was read with the schema of the whole row. */
const checked = Effect.fnUntraced(function* (row: ListedOrderRow | OrderDetailsRow) {
  const order = Option.getOrThrow(yield* OrdersRepo.use((repo) => repo.find(row.id)))
  const columns = Object.entries(order).filter(([name]) => name in row)
  return Object.fromEntries(
    columns.map(([name, value]) => [name, DateTime.isDateTime(value) ? DateTime.toDate(value) : value])
  )
})

layer(Testing.layer)("An order that is read without a check", (it) => {
  it.effect("has the same values as with the schema, in every status and of every kind", () =>
    Effect.gen(function* () {
      const { ids, user } = yield* seeded
      const { orders: listed, total } = yield* Orders.use((orders) => orders.list(user, {}, { limit: 100, offset: 0 }))
      assert.deepStrictEqual([total, listed.length], [ids.length, ids.length])
      for (const row of listed) {
        assert.deepStrictEqual({ ...row }, Schema.decodeUnknownSync(ListedOrderRow)(row))
        assert.deepStrictEqual({ ...row }, yield* checked(row))
        const details = yield* Orders.use((orders) => orders.details(user, row.id))
        assert.deepStrictEqual({ ...details }, Schema.decodeUnknownSync(OrderDetailsRow)(details))
        assert.deepStrictEqual({ ...details }, yield* checked(details))
      }
    })
  )
})
