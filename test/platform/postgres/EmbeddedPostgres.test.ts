import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Database from "../../../src/platform/postgres/Database.ts"
import * as EmbeddedPostgres from "../../../src/platform/postgres/EmbeddedPostgres.ts"
import {
  eventually,
  instance,
  isRoot,
  isRunning,
  pidFile,
  pidOf,
  prepared,
  query,
  runsAnother,
  scratch
} from "./PostgresTesting.ts"

describe("The embedded PostgreSQL", () => {
  it.live("starts in an empty directory, keeps its data and ends with its scope", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const pid = yield* Effect.gen(function* () {
        const server = yield* EmbeddedPostgres.start({ directory })
        yield* query(server, "CREATE TABLE kept AS SELECT 1 AS id")
        return pidOf(directory)
      }).pipe(Effect.scoped)
      assert.isFalse(isRunning(pid))

      const server = yield* EmbeddedPostgres.start({ directory })
      assert.deepStrictEqual(yield* query(server, "SELECT id FROM kept"), [{ id: 1 }])
    })
  )

  it.live("sorts text by code point in UTF-8, the same on every machine", () =>
    Effect.gen(function* () {
      const server = yield* EmbeddedPostgres.start({ directory: yield* prepared })
      assert.deepStrictEqual(
        yield* query(
          server,
          `SELECT datlocprovider AS provider, datlocale AS locale, pg_encoding_to_char(encoding) AS encoding
           FROM pg_database WHERE datname = current_database()`
        ),
        [{ provider: "b", locale: "C.UTF-8", encoding: "UTF8" }]
      )
    })
  )

  it.live("listens on nothing but a socket that only its own account can open", () =>
    Effect.gen(function* () {
      const directory = yield* prepared
      const server = yield* EmbeddedPostgres.start({ directory })
      assert.deepStrictEqual(yield* query(server, "SELECT current_setting('listen_addresses') AS addresses"), [
        { addresses: "" }
      ])
      const socketDirectory = fs.statSync(server.host)
      assert.strictEqual(socketDirectory.mode & 0o777, 0o700)
      assert.strictEqual(socketDirectory.uid, fs.statSync(path.join(directory, "data")).uid)
      assert.notStrictEqual(socketDirectory.uid, 0)
    })
  )

  it.live("is the service's database without DATABASE_URL, also in a private DATA_DIR", () =>
    Effect.gen(function* () {
      const state = path.join(yield* scratch, "state")
      fs.mkdirSync(state, { mode: 0o700 })
      const env = ConfigProvider.layer(ConfigProvider.fromEnv({ env: { DATA_DIR: state } }))
      assert.deepStrictEqual(yield* Effect.provide(Database.pending, Layer.provide(Database.layer, env)), [])
      assert.isTrue(fs.existsSync(path.join(state, "postgres", "data", "PG_VERSION")))
    })
  )
})

describe("Several instances on one directory", () => {
  it.live("share one server when they start at the same time for the first time", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const start = EmbeddedPostgres.start({ directory })
      const servers = yield* Effect.all([start, start, start], { concurrency: 3 })
      const postmasters = yield* Effect.forEach(servers, (server) =>
        query(server, "SELECT pg_postmaster_start_time()::text AS start, current_setting('data_directory') AS data")
      )
      assert.deepStrictEqual(postmasters[1], postmasters[0])
      assert.deepStrictEqual(postmasters[2], postmasters[0])
      assert.deepStrictEqual(
        fs.readdirSync(directory).filter((name) => name.startsWith("data")),
        ["data"]
      )
    })
  )

  it.live("share one server; the remaining instance starts it again and keeps its connections", () =>
    Effect.gen(function* () {
      const directory = yield* prepared
      const owner = yield* Scope.make()
      yield* Scope.provide(EmbeddedPostgres.start({ directory }), owner)
      const first = pidOf(directory)

      const server = yield* EmbeddedPostgres.start({ directory })
      assert.strictEqual(pidOf(directory), first)
      const pool = yield* Layer.build(PgClient.layer({ ...server, maxConnections: 2 }))
      const select = Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1 AS one`),
        pool
      )
      yield* select

      yield* Scope.close(owner, Exit.void)
      yield* eventually("another server", () => runsAnother(directory, first))
      assert.deepStrictEqual(yield* Effect.retry(select, Schedule.spaced("20 millis")), [{ one: 1 }])
    })
  )

  it.live("keep the server when an instance that did not start it stops", () =>
    Effect.gen(function* () {
      const directory = yield* prepared
      const server = yield* EmbeddedPostgres.start({ directory })
      yield* Effect.scoped(EmbeddedPostgres.start({ directory }))
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS one"), [{ one: 1 }])
    })
  )
})

describe("After an abrupt end", () => {
  it.live("the server of a killed process ends, and the next process finds the committed rows", () =>
    Effect.gen(function* () {
      const directory = yield* prepared
      const killed = yield* instance(directory)
      const pid = pidOf(directory)
      yield* Effect.scoped(
        Effect.flatMap(EmbeddedPostgres.start({ directory }), (server) =>
          query(server, "CREATE TABLE kept AS SELECT 1 AS id")
        )
      )
      assert.isTrue(isRunning(pid))

      killed.kill()
      yield* eventually("the server has ended", () => !isRunning(pid))
      const server = yield* EmbeddedPostgres.start({ directory })
      assert.deepStrictEqual(yield* query(server, "SELECT id FROM kept"), [{ id: 1 }])
    })
  )

  it.live("a killed server starts again", () =>
    Effect.gen(function* () {
      const directory = yield* prepared
      const server = yield* EmbeddedPostgres.start({ directory })
      const pid = pidOf(directory)
      process.kill(pid, "SIGKILL")
      yield* eventually("another server", () => !isRunning(pid) && runsAnother(directory, pid))
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS one").pipe(Effect.retry(Schedule.spaced("20 millis"))), [
        { one: 1 }
      ])
    })
  )

  it.live.each([
    ["a process that is gone", false],
    ["a process of another program", true]
  ] as const)("the server starts in spite of a pid file that names %s", ([, isAlive]) =>
    Effect.gen(function* () {
      const directory = yield* prepared
      const file = yield* Effect.scoped(
        Effect.map(EmbeddedPostgres.start({ directory }), () => fs.readFileSync(pidFile(directory), "utf8"))
      )
      const { uid, gid } = fs.statSync(path.join(directory, "data"))
      const other = spawn("sleep", ["30"], isRoot ? { uid, gid } : {})
      yield* Effect.addFinalizer(() => Effect.sync(() => other.kill()))
      fs.writeFileSync(pidFile(directory), file.replace(/^\d+/, isAlive ? `${other.pid}` : `${2 ** 22 - 1}`))
      const server = yield* EmbeddedPostgres.start({ directory })
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS one"), [{ one: 1 }])
    })
  )
})
