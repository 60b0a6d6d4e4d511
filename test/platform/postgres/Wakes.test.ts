import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import { randomUUID } from "node:crypto"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import * as Database from "../../../src/platform/postgres/Database.ts"
import { Wakes } from "../../../src/platform/postgres/Wakes.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

/** The notifications of `gateway_proxy`. */
const listening = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const notifications = yield* sql.listen("gateway_proxy")
  return {
    count: Queue.size(notifications),
    next: Effect.map(Queue.take(notifications), ({ payload }) => payload),
    /** What has arrived when a notification that is sent now arrives. */
    soFar: Effect.gen(function* () {
      const last = randomUUID()
      yield* sql`SELECT pg_notify('gateway_proxy', ${last})`
      const ids: Array<string> = []
      for (;;) {
        const { payload } = yield* Queue.take(notifications)
        if (payload === last) return ids
        ids.push(payload)
      }
    })
  }
})

const wake = (...ids: ReadonlyArray<string>) => Wakes.use((wakes) => wakes.wake("gateway_proxy", ids))
const atomically = <A, E, R>(effect: Effect.Effect<A, E, R>) => Atomically.use((atomically) => atomically(effect))

layer(TestDatabase.layer, { excludeTestServices: true })("Wakes", (it) => {
  it.effect("wakes listeners when the whole transaction has ended, not before", () =>
    Effect.gen(function* () {
      const { count, next } = yield* listening
      const [first, second] = [randomUUID(), randomUUID()]
      yield* atomically(
        Effect.gen(function* () {
          yield* atomically(wake(first))
          yield* wake(second)
          yield* Effect.sleep("50 millis")
          assert.strictEqual(yield* count, 0)
        })
      )
      assert.deepStrictEqual([yield* next, yield* next], [first, second])
    }).pipe(Effect.scoped)
  )

  it.effect("wakes listeners immediately outside a transaction, once for many wake-ups", () =>
    Effect.gen(function* () {
      const { next, soFar } = yield* listening
      const [first, second] = [randomUUID(), randomUUID()]
      yield* wake(first)
      assert.strictEqual(yield* next, first)
      yield* Effect.all([wake(second), wake(second), wake(), wake(second)])
      assert.strictEqual(yield* next, second)
      assert.deepStrictEqual(yield* soFar, [])
    }).pipe(Effect.scoped)
  )

  it.effect("wakes listeners after a transaction whose commit has no known outcome", () =>
    Effect.gen(function* () {
      const { next } = yield* listening
      const id = randomUUID()
      yield* Effect.exit(atomically(Effect.andThen(wake(id), Effect.die(new Error("the connection is lost")))))
      assert.strictEqual(yield* next, id)
    }).pipe(Effect.scoped)
  )

  it.effect("wakes listeners although its connection was cut", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { next } = yield* listening
      const [first, second] = [randomUUID(), randomUUID()]
      yield* wake(first)
      yield* next
      const cut = yield* sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%wake_gateway_proxy%' AND pid <> pg_backend_pid()
      `
      assert.lengthOf(cut, 1)
      yield* wake(second)
      assert.strictEqual(yield* next, second)
    }).pipe(Effect.scoped)
  )

  it.effect("sends its last wake-ups when it stops", () =>
    Effect.gen(function* () {
      const { config } = yield* PgClient.PgClient
      const { next, soFar } = yield* listening
      const [first, second] = [randomUUID(), randomUUID()]
      const stopping = Effect.gen(function* () {
        yield* wake(first)
        yield* next
        yield* wake(second)
      })
      yield* Effect.provide(stopping, Layer.fresh(Database.layerPool(config)))
      // The stop may repeat a wake-up that is under way.
      assert.include(yield* soFar, second)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "transactions notify only when credentials, accounts, rules, nodes or pauses change, or when a delivery ends a stock",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const notifying = yield* sql<{ table: string }>`
        SELECT DISTINCT t.tgrelid::regclass::text AS "table" FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
        WHERE p.prosrc ~* '(pg_notify|wake_|\mNOTIFY\M)' ORDER BY 1
      `
        assert.deepStrictEqual(
          notifying.map(({ table }) => table),
          [
            "api_key",
            "destination_rule",
            "destination_rules_state",
            "gateway_node",
            "gateway_node_status",
            "gateway_proxy",
            "oauth_connection",
            "oauth_grant",
            "sales_pause",
            "user_account",
            "user_session"
          ]
        )
      })
  )
})
