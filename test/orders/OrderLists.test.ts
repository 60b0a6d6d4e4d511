import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../src/accounts/User.ts"
import type { OrderFilter } from "../../src/orders/OrderFilter.ts"
import { OrderListsRepo } from "../../src/orders/OrderListsRepo.ts"
import { Orders } from "../../src/orders/Orders.ts"
import { OrderStatus } from "../../src/orders/OrderStatus.ts"
import * as OrderTallies from "../../src/orders/OrderTallies.ts"
import type { Page } from "../../src/platform/fields/Page.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as Testing from "../support/OrderTesting.ts"
import { kinds, matching, seed, type SeededOrder, states, withoutPayments } from "./ListedOrders.ts"

const perhaps = <Key extends string, A>(key: Key, values: ReadonlyArray<A>) => [
  {},
  ...values.map((value) => ({ [key]: value }))
]

const filters: ReadonlyArray<OrderFilter> = perhaps("status", OrderStatus.literals).flatMap((status) =>
  perhaps("proxy_type", kinds).flatMap((type) =>
    perhaps("proxy_status", ["active", "expiring", "expired"]).map((live) => ({ ...status, ...type, ...live }))
  )
)

const minutes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200_000 }))
const anyOrder = Schema.Struct({ state: Schema.Literals(states), proxy_type: Schema.Literals(kinds), minutes })
const anyOrders = Schema.Array(anyOrder).check(Schema.isMinLength(20), Schema.isMaxLength(60))

/** Asserts that all lists and the counts agree. Checks the pages at the offsets `at`. */
const agree = Effect.fnUntraced(function* (
  user: UserId,
  made: ReadonlyArray<SeededOrder & { readonly id: string }>,
  at: (total: number) => ReadonlyArray<Page>
) {
  const orders = yield* Orders
  for (const filter of filters) {
    const wanted = matching(made, filter)
    for (const { limit, offset } of at(wanted.length)) {
      const page = yield* orders.list(user, filter, { limit, offset })
      assert.deepStrictEqual(
        [page.total, page.orders.map(({ id }) => id as string)],
        [wanted.length, wanted.slice(offset, offset + limit)],
        `${JSON.stringify(filter)} at ${offset}`
      )
    }
  }
  for (const type of perhaps("proxy_type", kinds)) {
    const listed = (filter: OrderFilter) => matching(made, { ...type, ...filter }).length
    assert.deepStrictEqual(yield* orders.counts(user, type), {
      active: listed({ proxy_status: "active" }),
      expiring: listed({ proxy_status: "expiring" }),
      expired: listed({ proxy_status: "expired" }),
      total: listed({})
    })
  }
})

const total = (user: UserId) => Orders.use((orders) => Effect.map(orders.counts(user, {}), ({ total }) => total))

/** The tallies of all accounts that differ from the table. */
const wrong = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    SELECT * FROM (
      SELECT user_id, month, proxy_type, status, proxy_status, sum(orders) AS orders FROM (
        SELECT user_id, month, proxy_type, status, proxy_status, orders FROM order_tally UNION ALL
        SELECT user_id, month, proxy_type, status, proxy_status, orders FROM order_tally_change
      ) tallied GROUP BY 1, 2, 3, 4, 5 HAVING sum(orders) <> 0
    ) tallied
    FULL JOIN (
      SELECT user_id, date_trunc('month', created_at, 'UTC') AS month, proxy_type, status, proxy_status,
        count(*) AS orders
      FROM proxy_order GROUP BY 1, 2, 3, 4, 5
    ) counted USING (user_id, month, proxy_type, status, proxy_status)
    WHERE tallied.orders IS DISTINCT FROM counted.orders
  `
)

const database = Layer.mergeAll(OrderListsRepo.layer, Layer.effectDiscard(withoutPayments)).pipe(
  Layer.provideMerge(Testing.layer)
)

layer(database, { excludeTestServices: true })("Order lists", (it) => {
  it.effect.prop(
    "show the same orders in every filter, page and count, before and after the tallies are updated",
    [anyOrders],
    ([orders]) =>
      Effect.gen(function* () {
        const user = yield* Fixtures.newUser
        const other = yield* Fixtures.newUser
        const start = DateTime.makeUnsafe("2026-01-15T00:00:00Z")
        const dated = orders.map((order) => ({ ...order, created_at: DateTime.add(start, { minutes: order.minutes }) }))
        const made = yield* seed(user, dated)
        yield* seed(other, dated.slice(0, 9))
        yield* agree(user, made, () => [{ limit: 100, offset: 0 }])
        yield* OrderTallies.run
        yield* agree(user, made, (total) =>
          total === 0 ? [] : [Math.floor(total / 2), total - 1].map((offset) => ({ limit: 7, offset }))
        )
        assert.deepStrictEqual(yield* wrong, [])
      }),
    { arbitrary: { runs: 2 } }
  )

  it.effect("never miss an order while many orders are created and moved and two instances update the tallies", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const created_at = DateTime.makeUnsafe("2026-06-01T00:00:00Z")
      const bought = states.map((state) => ({ state, proxy_type: "datacenter" as const, created_at }))
      const users = yield* Effect.all([Fixtures.newUser, Fixtures.newUser, Fixtures.newUser])
      const lists = yield* OrderListsRepo
      const orders = yield* Orders
      const buying = Effect.forEach(users, (user) => Effect.replicateEffect(seed(user, bought), 4), {
        concurrency: "unbounded"
      })
      const compacting = Effect.replicateEffect(lists.compact(5), 30)
      yield* Effect.all([buying, compacting, compacting], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* wrong, [])
      yield* sql`
        UPDATE proxy_order SET proxy_status = 'cancelled', status = 'cancelled'
        WHERE user_id = ${users[0]} AND proxy_status IN ('active', 'expiring')
      `
      yield* Effect.all([OrderTallies.run, OrderTallies.run], { concurrency: 2 })
      assert.deepStrictEqual(yield* wrong, [])
      assert.lengthOf(yield* sql`SELECT id FROM order_tally_change`, 0)
      assert.deepStrictEqual(yield* orders.counts(users[0], {}), { active: 0, expiring: 0, expired: 4, total: 40 })
    })
  )

  it.effect("do not count orders that were rolled back or deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      const one = {
        state: "paid",
        proxy_type: "mobile",
        created_at: DateTime.makeUnsafe("2026-02-28T23:59:59Z")
      } as const
      const counts = Orders.use((orders) => orders.counts(user, { proxy_type: "mobile" }))
      yield* Effect.exit(sql.withTransaction(Effect.andThen(seed(user, [one]), Effect.fail("no"))))
      assert.strictEqual((yield* counts).total, 0)
      const [kept, gone] = yield* seed(user, [one, one])
      yield* sql`DELETE FROM proxy_order WHERE id = ${gone?.id}`
      assert.strictEqual((yield* counts).total, 1)
      yield* OrderTallies.run
      const list = yield* Orders.use((orders) => orders.list(user, { status: "paid" }, { limit: 10, offset: 0 }))
      assert.deepStrictEqual([list.total, list.orders.map(({ id }) => id as string)], [1, [kept?.id]])
    })
  )

  it.effect("recount an account whose tallies are wrong, and still update the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [user, other] = [yield* Fixtures.newUser, yield* Fixtures.newUser]
      const one = {
        state: "new",
        proxy_type: "mobile",
        created_at: DateTime.makeUnsafe("2026-02-01T00:00:00Z")
      } as const
      yield* OrderTallies.run
      yield* sql`ALTER TABLE proxy_order DISABLE TRIGGER order_tally_insert`
      yield* seed(user, [one, one])
      yield* sql`ALTER TABLE proxy_order ENABLE TRIGGER order_tally_insert`
      yield* sql`UPDATE proxy_order SET status = 'paid' WHERE user_id = ${user}`
      yield* seed(other, [one])
      yield* OrderTallies.run
      assert.deepStrictEqual(yield* wrong, [])
      assert.lengthOf(yield* sql`SELECT id FROM order_tally_change`, 0)
      assert.deepStrictEqual([yield* total(user), yield* total(other)], [2, 1])
    })
  )

  it.effect("keep no tally of zero orders; the order table refuses a truncation", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      yield* seed(user, [
        { state: "new", proxy_type: "mobile", created_at: DateTime.makeUnsafe("2026-02-01T00:00:00Z") }
      ])
      yield* OrderTallies.run
      yield* sql`UPDATE proxy_order SET status = 'paid' WHERE user_id = ${user}`
      yield* OrderTallies.run
      const tallies = yield* sql`SELECT status, orders FROM order_tally WHERE user_id = ${user}`
      assert.deepStrictEqual(tallies, [{ status: "paid", orders: 1 }])
      const refused = yield* Effect.flip(sql`TRUNCATE proxy_order CASCADE`)
      assert.strictEqual(refused.reason._tag, "ConstraintError")
    })
  )

  it.effect("are updated while a vacuum of the tallies runs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      yield* seed(user, [
        { state: "paid", proxy_type: "mobile", created_at: DateTime.makeUnsafe("2026-02-01T00:00:00Z") }
      ])
      const locked = yield* Deferred.make<void>()
      // A vacuum takes this lock.
      yield* sql`LOCK TABLE order_tally IN SHARE UPDATE EXCLUSIVE MODE`.pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Effect.never),
        sql.withTransaction,
        Effect.forkScoped
      )
      yield* Deferred.await(locked)
      yield* OrderTallies.run
      assert.lengthOf(yield* sql`SELECT id FROM order_tally_change`, 0)
    })
  )
})
