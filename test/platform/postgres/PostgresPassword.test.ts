import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as EmbeddedPostgres from "../../../src/platform/postgres/EmbeddedPostgres.ts"
import { prepared, query } from "./PostgresTesting.ts"

const refused = Effect.fnUntraced(function* (server: EmbeddedPostgres.EmbeddedPostgres, changes: object = {}) {
  const { password: _, ...open } = server
  const error = yield* Effect.flip(query({ ...open, ...changes }, "SELECT 1"))
  assert.match(String(error.reason.cause), /password|authentication/i)
})

describe("The password of the embedded PostgreSQL", () => {
  it.live("is added to a data directory without one, and every client of the socket needs it", () =>
    Effect.gen(function* () {
      const directory = yield* prepared
      const secured = EmbeddedPostgres.start({ directory, secured: true })
      yield* Effect.gen(function* () {
        yield* query(yield* EmbeddedPostgres.start({ directory }), "CREATE TABLE kept AS SELECT 1 AS id")
        // The server of an older program requires no password, and keeps running.
        assert.deepStrictEqual(yield* query(yield* secured, "SELECT id FROM kept"), [{ id: 1 }])
      }).pipe(Effect.scoped)

      const passwords = yield* Effect.gen(function* () {
        const [server, another] = yield* Effect.all([secured, secured], { concurrency: "unbounded" })
        for (const each of [server, another])
          assert.deepStrictEqual(yield* query(each, "SELECT id FROM kept"), [{ id: 1 }])
        assert.strictEqual(fs.statSync(path.join(directory, "password")).mode & 0o777, 0o600)
        yield* refused(server)
        yield* refused(server, { password: Redacted.make("wrong") })
        yield* query(server, "CREATE ROLE other LOGIN")
        yield* refused(server, { username: "other" })
        return [server, another].map(({ password }) => Redacted.value(password!))
      }).pipe(Effect.scoped)

      const again = yield* Effect.scoped(Effect.tap(secured, (server) => query(server, "SELECT id FROM kept")))
      assert.strictEqual(new Set([...passwords, Redacted.value(again.password!)]).size, 1)

      fs.rmSync(path.join(directory, "password"))
      assert.deepStrictEqual(yield* query(yield* secured, "SELECT id FROM kept"), [{ id: 1 }])
    })
  )
})
