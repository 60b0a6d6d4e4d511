import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { Wakes } from "../../../src/platform/postgres/Wakes.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { statementsOf } from "../../support/Statements.ts"

/** The end of PostgreSQL's log, after this many lines. */
const logAfter = Effect.fnUntraced(function* (lines: number) {
  const sql = yield* SqlClient.SqlClient
  const [server] = yield* sql<{ directory: string }>`SELECT current_setting('data_directory') AS directory`
  return fs
    .readFileSync(path.join(server?.directory ?? "", "..", "postgres.log"), "utf8")
    .split("\n")
    .slice(lines)
})

/** The errors on the connections of this test: another test may use the server at the same time. */
const errorsAfter = Effect.fnUntraced(function* (lines: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ pid: number }>`SELECT pid FROM pg_stat_activity WHERE datname = current_database()`
  const logged = yield* logAfter(lines)
  return logged.filter((line) => line.includes("ERROR:") && rows.some(({ pid }) => line.includes(`[${pid}]`)))
})

const claim = "idempotency_key"
const purchase = `${claim}, wallet, wallet_transaction, proxy_order, provisioning_attempt`
const delivery = `proxy_order, provisioning_attempt, ${claim}`

layer(Testing.layer, { excludeTestServices: true })("A purchase", (it) => {
  it.effect("of several orders claims its key and pays in one statement, and delivers in another", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const { place } = yield* OrderPlacement
      const body = yield* Testing.request({ quantity: 2 })
      assert.deepStrictEqual(yield* statementsOf(place(caller, body, "key")), [purchase, delivery, claim])
      assert.deepStrictEqual(yield* statementsOf(place(caller, body, undefined)), [purchase, delivery])
    })
  )

  it.effect("of one order delivers and stores the answer in one statement", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const { place } = yield* OrderPlacement
      const body = yield* Testing.request()
      assert.deepStrictEqual(yield* statementsOf(place(caller, body, "key")), [purchase, delivery])
    })
  )

  it.effect("wakes nobody for an account without a webhook", () =>
    Effect.gen(function* () {
      const woken: Array<ReadonlyArray<string>> = []
      const wakes = yield* Wakes
      const place = Effect.gen(function* () {
        const { place } = yield* OrderPlacement
        return yield* place(yield* Testing.buyer(10_000_000n), yield* Testing.request(), undefined)
      })
      const recording = Wakes.of({ ...wakes, wake: (_name, ids) => Effect.sync(() => void woken.push(ids)) })
      yield* Effect.provide(
        place,
        Layer.fresh(OrderPlacement.layer).pipe(Layer.provide(Layer.succeed(Wakes, recording)))
      )
      assert.deepStrictEqual(woken, [])
    })
  )

  it.effect.each([
    [1, {}],
    [2, { quantity: 2 }]
  ] as const)("of %i that is repeated needs no statement in its process, and one in another", ([quantity, fields]) =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const body = yield* Testing.request(fields)
      const here = yield* OrderPlacement
      const there = yield* Testing.otherPlacement
      const first = yield* here.place(caller, body, "key")
      const repeated: Array<unknown> = []
      const again = ({ place }: typeof here) =>
        statementsOf(Effect.map(place(caller, body, "key"), (answer) => repeated.push(JSON.stringify(answer))))
      assert.deepStrictEqual(yield* again(here), [])
      assert.lengthOf(yield* again(there), 1)
      assert.lengthOf(yield* again(there), 1)
      const same = JSON.stringify({ ...first, replayed: true })
      assert.deepStrictEqual(repeated, [same, same, same])
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 10_000_000n - 1_500_000n * BigInt(quantity))
    })
  )

  it.effect("that is repeated with another body is refused, and with another account is another purchase", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const { place } = yield* OrderPlacement
      const body = yield* Testing.request()
      const { orders } = yield* place(caller, body, "key")
      const refused = yield* Effect.flip(place(caller, { ...body, quantity: 2 }, "key"))
      assert.strictEqual(refused._tag, "IdempotencyKeyReused")
      const other = yield* place(yield* Testing.buyer(10_000_000n), body, "key")
      assert.isFalse(other.replayed)
      assert.notStrictEqual(other.orders[0]?.id, orders[0]?.id)
    })
  )

  it.effect("leaves no error in PostgreSQL's log when the wallet cannot pay", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(3_000_000n)
      const { place } = yield* OrderPlacement
      const body = yield* Testing.request()
      const before = (yield* logAfter(0)).length - 1
      const requests = Array.from({ length: 20 }, (_, n) => Effect.result(place(caller, body, `key-${n % 10}`)))
      const placed = yield* Effect.all(requests, { concurrency: "unbounded" })
      assert.strictEqual(new Set(placed.map((one) => Result.isSuccess(one) && one.success.orders[0]?.id)).size, 3)
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 0n)
      assert.deepStrictEqual(yield* errorsAfter(before), [])
      yield* Effect.ignore(SqlClient.SqlClient.use((sql) => sql`SELECT 1 / ${0}::int`))
      assert.lengthOf(yield* errorsAfter(before), 1)
    })
  )
})
