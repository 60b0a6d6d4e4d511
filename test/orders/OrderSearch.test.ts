import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../src/accounts/User.ts"
import { Orders } from "../../src/orders/Orders.ts"
import type { OrderSearch } from "../../src/orders/OrderSearch.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as Testing from "../support/OrderTesting.ts"
import { seed, type State, withoutPayments } from "./ListedOrders.ts"

const page = { limit: 100, offset: 0 }

const start = DateTime.makeUnsafe("2026-01-15T00:00:00Z")

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
      for (const nothing of ["%", "_0", "lon%don", "ab", "a\nb", "\\", "'; --", "secret"].filter((q) => q !== "%"))
        assert.deepStrictEqual(yield* at(nothing), nothing === "a\nb" ? [4] : [], nothing)
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
      assert.deepStrictEqual(yield* found(one, { country: "DE" }, { limit: 1, offset: 1 }), { total: 3, at: [1] })
      assert.deepStrictEqual(yield* found(one, { country: "DE" }, { limit: 1, offset: 3 }), { total: 3, at: [] })
      const countries = Orders.use((orders) => orders.countries(one.user))
      assert.deepStrictEqual(yield* countries, ["DE", "GB"])
    })
  )

  it.effect("sorts by end with the running ones first, and by name without case", () =>
    Effect.gen(function* () {
      const at = (days: number) => DateTime.toDate(DateTime.add(start, { days }))
      const one = yield* account(
        { notes: "beta", expires_at: at(90) },
        { notes: "Alpha", expires_at: at(60) },
        { state: "expired" },
        { notes: "gamma", expires_at: at(75) },
        { state: "new" }
      )
      assert.deepStrictEqual((yield* found(one, { sort: "expires_at" })).at, [1, 3, 0, 2, 4])
      const named = (yield* found(one, { sort: "name" })).at
      assert.deepStrictEqual([named.slice(0, 3), named.slice(3).toSorted()], [[1, 0, 3], [2, 4]])
      assert.deepStrictEqual((yield* found(one, { sort: "created_at" })).at, [0, 1, 2, 3, 4])
    })
  )
})

/** The statement of a search, explained. */
const explained = (user: UserId, sort: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ "QUERY PLAN": string }>`
      EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT id FROM proxy_order
      WHERE user_id = ${user} AND strpos(lower(concat_ws(E'\n', id, host || ':' || port, username, notes,
        array_to_string(tags, E'\n'))), lower('crawler')) > 0
      ORDER BY ${sql.literal(sort)} LIMIT 50
    `
  )
