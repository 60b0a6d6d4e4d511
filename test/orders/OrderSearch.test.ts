import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import type { UserId } from "../../src/accounts/User.ts"
import { Orders } from "../../src/orders/Orders.ts"
import type { OrderSearch } from "../../src/orders/OrderSearch.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as Testing from "../support/OrderTesting.ts"
import { seed, type State, withoutPayments } from "./ListedOrders.ts"

const page = { limit: 100, offset: 0 }

const start = DateTime.makeUnsafe("2026-01-15T00:00:00Z")

const after = (days: number) => DateTime.toDate(DateTime.add(start, { days }))

/** Running mobile proxies of a new account, the newest first, with these values. */
const account = Effect.fnUntraced(function* (
  ...rows: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly state?: State }>
) {
  const sql = yield* SqlClient.SqlClient
  const user = yield* Fixtures.newUser
  const made = yield* seed(
    user,
    rows.map(({ state = "active" }, days) => ({
      state,
      proxy_type: "mobile",
      created_at: DateTime.subtract(start, { days })
    }))
  )
  for (const [index, { state: _, ...values }] of rows.entries())
    if (Object.keys(values).length > 0)
      yield* sql`UPDATE proxy_order SET ${sql.update(values)} WHERE id = ${made[index]?.id}`
  return { user, ids: made.map(({ id }) => id) }
})

/** The positions of the found orders. */
const found = Effect.fnUntraced(function* (
  { ids, user }: { readonly user: UserId; readonly ids: ReadonlyArray<string> },
  search: OrderSearch,
  part = page
) {
  const { orders, total } = yield* Orders.use((orders) => orders.list(user, search, part))
  return { total, at: orders.map(({ id }) => ids.indexOf(id)) }
})

const database = Layer.provideMerge(Layer.effectDiscard(withoutPayments), Testing.layer)

/** Inserts many unpaid orders: `large` has 10,000 of them, the others belong to another account for every hundred. */
const seedMany = Effect.fnUntraced(function* (large: UserId, others: ReadonlyArray<UserId>) {
  const sql = yield* SqlClient.SqlClient
  const [offer] = yield* sql<{ id: number }>`SELECT min(id) AS id FROM offer`
  yield* sql`
    INSERT INTO proxy_order (id, user_id, offer_id, provider, external_id, status, proxy_status, proxy_type, mode,
      ip_version, protocol, country, period_days, period_months, tarification_index, currency, total, total_usd,
      payment_method, auto_renew, notes, provision_at, created_at, updated_at)
    SELECT gen_random_uuid(), CASE WHEN n % 10 = 0 THEN ${large}::uuid
        ELSE (${[...others]}::uuid[])[1 + n % ${others.length}::int] END,
      ${offer?.id ?? 0}::int, 'memory', 'seeded', 'new', 'pending', 'mobile', 'rotating', 'IPv4', 'HTTP', 'GB', 30, 1, 0,
      'USD', 1500000, 1500000, 'wallet', false, 'note ' || n, at, at, at
    FROM (SELECT n, '2024-01-01'::timestamptz + n * interval '5 minutes' AS at FROM generate_series(1, 100000) n) made
  `
  yield* sql`ANALYZE proxy_order`
})

/** The plans of all statements that an effect runs. */
const plansOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const run: Array<readonly [string, ReadonlyArray<unknown>]> = []
  const recorder: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      run.push(statement.compile())
      return statement
    })
  yield* Effect.provideService(effect, Statement.CurrentTransformer, recorder)
  return yield* Effect.forEach(run, ([text, parameters]) =>
    Effect.map(sql.unsafe<{ "QUERY PLAN": string }>(`EXPLAIN (ANALYZE) ${text}`, parameters), (lines) =>
      lines.map((line) => line["QUERY PLAN"]).join("\n")
    )
  )
})

layer(database, { excludeTestServices: true })("A search in orders", (it) => {
  it.effect("finds a part of id, address, login, notes and tags, in any case, and takes no sign as a pattern", () =>
    Effect.gen(function* () {
      const one = yield* account(
        { notes: "Crawler Überwachung 100%" },
        { tags: ["London", "seven_8"] },
        { host: "198.51.100.7", port: 31000 },
        { username: "u5k2m8p1" },
        { notes: "a", tags: ["b"] },
        { state: "new" }
      )
      const at = (q: string) => Effect.map(found(one, { q }), ({ at }) => at)
      assert.deepStrictEqual(yield* at("CRAWLER über"), [0])
      assert.deepStrictEqual(yield* at("100%"), [0])
      assert.deepStrictEqual(yield* at("london"), [1])
      assert.deepStrictEqual(yield* at("seven_8"), [1])
      assert.deepStrictEqual(yield* at("51.100.7:310"), [2])
      assert.deepStrictEqual(yield* at("U5K2"), [3])
      assert.deepStrictEqual(yield* at(one.ids[5] ?? ""), [5])
      for (const nothing of ["_0", "lon%don", "ab", "\\", "'; --", "secret"])
        assert.deepStrictEqual(yield* at(nothing), [], nothing)
      const other = yield* account({ notes: "Crawler" })
      assert.deepStrictEqual(yield* found({ ...one, user: other.user }, { q: "crawler" }), { total: 1, at: [-1] })
    })
  )

  it.effect("combines with country, kind and state, and pages through what it found", () =>
    Effect.gen(function* () {
      const one = yield* account(
        { country: "DE", notes: "x" },
        { country: "DE", notes: "x", state: "expired" },
        { country: "GB", notes: "x" },
        { country: "DE" }
      )
      assert.deepStrictEqual(yield* found(one, { country: "DE" }), { total: 3, at: [0, 1, 3] })
      assert.deepStrictEqual(yield* found(one, { country: "DE", q: "x" }), { total: 2, at: [0, 1] })
      assert.deepStrictEqual(yield* found(one, { country: "DE", proxy_status: "active" }), { total: 2, at: [0, 3] })
      assert.deepStrictEqual(yield* found(one, { country: "DE", proxy_type: "residential" }), { total: 0, at: [] })
      yield* SqlClient.SqlClient.use((sql) => sql`UPDATE proxy_order SET auto_renew = true WHERE id = ${one.ids[3]}`)
      assert.deepStrictEqual(yield* found(one, { auto_renew: true }), { total: 1, at: [3] })
      assert.deepStrictEqual(yield* found(one, { country: "DE", auto_renew: false }), { total: 2, at: [0, 1] })
      assert.deepStrictEqual(yield* found(one, { country: "DE" }, { limit: 1, offset: 1 }), { total: 3, at: [1] })
      assert.deepStrictEqual(yield* found(one, { country: "DE" }, { limit: 1, offset: 3 }), { total: 3, at: [] })
      const countries = Orders.use((orders) => orders.countries(one.user))
      assert.deepStrictEqual(yield* countries, ["DE", "GB"])
    })
  )

  it.effect("sorts by end with the running ones first, and by name without case", () =>
    Effect.gen(function* () {
      const one = yield* account(
        { notes: "beta", expires_at: after(90) },
        { notes: "Alpha", expires_at: after(60) },
        { state: "expired" },
        { notes: "gamma", expires_at: after(75) },
        { state: "new" }
      )
      assert.deepStrictEqual((yield* found(one, { sort: "expires_at" })).at, [1, 3, 0, 2, 4])
      const named = (yield* found(one, { sort: "name" })).at
      assert.deepStrictEqual(
        [named.slice(0, 3), named.slice(3).toSorted()],
        [
          [1, 0, 3],
          [2, 4]
        ]
      )
      assert.deepStrictEqual((yield* found(one, { sort: "created_at" })).at, [0, 1, 2, 3, 4])
    })
  )

  it.effect("reads only the orders of its account, in a table of 100,000", () =>
    Effect.gen(function* () {
      const orders = yield* Orders
      const large = yield* Fixtures.newUser
      const others = yield* Effect.replicateEffect(Fixtures.newUser, 90)
      yield* seedMany(large, others)
      const searches: ReadonlyArray<OrderSearch> = [
        { q: "note 99990" },
        { q: "note 1", country: "GB", sort: "expires_at" },
        { sort: "name", proxy_type: "mobile", status: "new" }
      ]
      for (const user of [large, ...others.slice(0, 1)])
        for (const search of searches) {
          const plans = yield* plansOf(orders.list(user, search, { limit: 50, offset: 0 }))
          assert.lengthOf(plans, 2)
          for (const plan of plans) assert.notMatch(plan, /Seq Scan on proxy_order/, JSON.stringify(search))
        }
      const [countries = ""] = yield* plansOf(orders.countries(large))
      assert.match(countries, /Scan using proxy_order_of_user/)
      const { total } = yield* orders.list(large, { q: "note 99990" }, { limit: 50, offset: 0 })
      assert.strictEqual(total, 1)
    })
  )
})
