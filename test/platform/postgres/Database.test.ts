import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import * as Database from "../../../src/platform/postgres/Database.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

const configured = (env: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromEnv({ env }))

/** The one line of a failed start. */
const complaint = <A, E extends { readonly message: string }>(built: Layer.Layer<A, E>) =>
  Layer.build(built).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map(({ message }) => message)
  )

const appliedIds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number }>`SELECT migration_id AS id FROM effect_sql_migrations ORDER BY id`
  return rows.map(({ id }) => id)
})

const onServer = <A, E>(use: Effect.Effect<A, E, SqlClient.SqlClient>, options: PgClient.PgPoolConfig) =>
  Effect.provide(use, PgClient.layer({ ...options, maxConnections: 1 }))

layer(TestDatabase.layer)("A migrated database", (it) => {
  it.effect("has no pending migrations", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Database.pending, [])
      assert.isNotEmpty(yield* appliedIds)
    })
  )

  it.effect("limits the time of statements, locks and idle transactions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [limits] = yield* sql`
        SELECT
          current_setting('statement_timeout') AS statement,
          current_setting('lock_timeout') AS lock,
          current_setting('idle_in_transaction_session_timeout') AS idle
      `
      assert.deepStrictEqual(limits, { statement: "30s", lock: "10s", idle: "30s" })
    })
  )

  it.effect("rolls back an atomic effect that fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const atomically = yield* Atomically
      yield* sql`CREATE TABLE note (id integer)`
      yield* sql`INSERT INTO note VALUES (1)`.pipe(Effect.andThen(Effect.fail("stop")), atomically, Effect.flip)
      assert.deepStrictEqual(yield* sql`SELECT id FROM note`, [])
    })
  )

  it.effect("accepts another process through its DATABASE_URL", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const name = Effect.map(SqlClient.SqlClient, (sql) => sql`SELECT current_database() AS name`).pipe(Effect.flatten)
      const env = configured({ DATABASE_URL: yield* TestDatabase.url })
      const other = yield* Effect.provide(name, Layer.provide(Database.layerConnected, env))
      assert.deepStrictEqual(other, yield* sql`SELECT current_database() AS name`)
    })
  )

  it.effect("keeps its connections when the test's clock moves by hours", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const backend = Effect.map(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`, (rows) => rows[0]?.pid)
      const before = yield* backend
      yield* TestClock.adjust("5 hours")
      assert.strictEqual(yield* backend, before)
    })
  )
})

describe("A start on an empty database", () => {
  it.effect("accepts a DATABASE_URL that names a socket", () =>
    Effect.gen(function* () {
      const { database } = yield* TestDatabase.configEmpty
      const env = configured({ DATABASE_URL: TestDatabase.urlOf(database) })
      assert.deepStrictEqual(yield* Effect.provide(Database.pending, Layer.provide(Database.layer, env)), [])
    })
  )

  it.effect("applies each migration once when two instances start at the same time", () =>
    Effect.gen(function* () {
      const options = yield* TestDatabase.configEmpty
      const instance = Effect.scoped(Layer.build(Database.layerWith(options)))
      yield* Effect.all([instance, instance], { concurrency: 2 })
      const ids = yield* onServer(appliedIds, options)
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.deepStrictEqual(yield* onServer(Database.pending, options), [])
    })
  )

  it.live("makes a process that does not migrate wait for one that does", () =>
    Effect.gen(function* () {
      const { database } = yield* TestDatabase.configEmpty
      const env = configured({ DATABASE_URL: TestDatabase.urlOf(database) })
      const waiting = yield* Effect.forkChild(
        Effect.provide(Database.pending, Layer.provide(Database.layerConnected, env))
      )
      // Nothing is to happen; on a slow machine this proves less, but cannot fail.
      yield* Effect.sleep("100 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* Effect.scoped(Layer.build(Layer.provide(Database.layer, env)))
      assert.deepStrictEqual(yield* Fiber.join(waiting), [])
    })
  )
})

describe("A failing start", () => {
  it.effect("leaves an empty database unchanged when an operator's command runs, and fails immediately", () =>
    Effect.gen(function* () {
      const options = yield* TestDatabase.configEmpty
      const env = configured({ DATABASE_URL: TestDatabase.urlOf(options.database) })
      const line = yield* complaint(Layer.provide(Database.layerPresent, env))
      assert.match(line, /migration 1_\w+ has not been applied; start the service or run its migrate command/)
      const tables = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`
      )
      assert.deepStrictEqual(yield* onServer(tables, options), [])
    })
  )

  it.effect("names the migration that the migrator would skip, and applies none", () =>
    Effect.gen(function* () {
      const options = yield* TestDatabase.config
      const [skipped, ...kept] = yield* onServer(appliedIds, options)
      const forget = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`DELETE FROM effect_sql_migrations WHERE migration_id = ${skipped}`
      )
      yield* onServer(forget, options)
      const line = yield* complaint(Database.layerWith(options))
      assert.include(line, `migration ${skipped}_`)
      assert.include(line, `a number below ${kept.at(-1)}, which is applied already`)
      assert.deepStrictEqual(yield* onServer(appliedIds, options), kept)
    })
  )

  it.effect("names DATABASE_URL but not its password when no server answers", () =>
    Effect.gen(function* () {
      const env = configured({ DATABASE_URL: "postgres://app:secret@127.0.0.1:1/app" })
      const starting = yield* Effect.forkChild(complaint(Layer.provide(Database.layer, env)))
      // Each try asks the real network, in real time.
      while (starting.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        yield* TestClock.withLive(Effect.sleep("1 millis"))
      }
      const line = yield* Fiber.join(starting)
      assert.include(line, "DATABASE_URL: no server answered within 60 seconds")
      assert.include(line, "ECONNREFUSED")
      assert.notInclude(line, "secret")
    })
  )

  it.effect("reports immediately that the database does not exist", () =>
    Effect.gen(function* () {
      const env = configured({ DATABASE_URL: TestDatabase.urlOf("nowhere") })
      assert.strictEqual(
        yield* complaint(Layer.provide(Database.layer, env)),
        'The database cannot be used: DATABASE_URL: database "nowhere" does not exist'
      )
    })
  )

  it.effect("names DATA_DIR when it cannot contain the embedded database", () =>
    Effect.gen(function* () {
      const env = configured({ DATA_DIR: import.meta.filename })
      assert.include(yield* complaint(Layer.provide(Database.layer, env)), "DATA_DIR is not usable: ")
    })
  )

  it.effect.each([
    ["DATABASE_URL", "mysql://app:secret@127.0.0.1/app"],
    ["DATABASE_URL", "postgres://app:secret@:5432/app"],
    ["DATABASE_POOL", "9"],
    ["DATABASE_POOL", "many"]
  ] as const)("names %s when it is malformed: %s", ([name, value]) =>
    Effect.gen(function* () {
      const env = configured({ DATABASE_URL: TestDatabase.urlOf("nowhere"), [name]: value })
      const line = yield* complaint(Layer.provide(Database.layer, env))
      assert.include(line, name)
      assert.notInclude(line, "secret")
    })
  )
})
