import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Clients } from "../../src/oauth/Clients.ts"
import { ClientsRepo } from "../../src/oauth/ClientsRepo.ts"
import * as Secrets from "../../src/platform/Secrets.ts"
import { newUser } from "../support/Fixtures.ts"
import { start } from "./DocumentServer.ts"
import { register, find, use, all, redirect_uris } from "./KnownClients.ts"

const removeUnused = (limit: number) =>
  Effect.gen(function* () {
    const before = DateTime.subtract(yield* DateTime.now, { days: 30 })
    return yield* (yield* ClientsRepo).removeUnused(before, limit)
  })

const removeUnapproved = Effect.gen(function* () {
  const before = DateTime.subtract(yield* DateTime.now, { days: 1 })
  return yield* (yield* ClientsRepo).removeUnapproved(before, 10)
})

/** Inserts a connection of the client that is live for 30 days. */
const connect = Effect.fnUntraced(function* (client_id: string) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.now
  const created_at = DateTime.toDate(now)
  const user_id = yield* newUser
  const [grant_id, id] = [randomUUID(), randomUUID()]
  yield* sql`
    INSERT INTO oauth_grant ${sql.insert({
      id: grant_id,
      user_id,
      client_id,
      resource: "https://mcp.example/mcp",
      scopes: ["catalog:read"],
      created_at,
      updated_at: created_at
    })}
  `
  yield* sql`
    INSERT INTO oauth_connection ${sql.insert({
      id,
      grant_id,
      code_hash: Secrets.digest(id),
      code_challenge: "a".repeat(43),
      redirect_uri: redirect_uris[0],
      code_expires_at: DateTime.toDate(DateTime.add(now, { seconds: 60 })),
      expires_at: DateTime.toDate(DateTime.add(now, { days: 30 })),
      created_at
    })}
  `
  return id
})

/** Inserts a request of the client that waits for its person. */
const ask = Effect.fnUntraced(function* (client_id: string) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.now
  yield* sql`
    INSERT INTO oauth_authorization ${sql.insert({
      id: randomUUID(),
      browser_hash: Secrets.digest("browser"),
      client_id,
      redirect_uri: redirect_uris[0],
      code_challenge: "a".repeat(43),
      resource: "https://mcp.example/mcp",
      scopes: ["catalog:read"],
      created_at: DateTime.toDate(now),
      expires_at: DateTime.toDate(DateTime.add(now, { minutes: 10 }))
    })}
  `
})

layer(all)("Clients", (it) => {
  describe("with a document", () => {
    it.effect(
      "and without an approval are removed a day after their last use, once the document is no longer fresh",
      () =>
        Effect.gen(function* () {
          yield* TestClock.adjust("31 days")
          yield* removeUnused(1000)
          const sql = yield* SqlClient.SqlClient
          const [left, approved, asking, fresh] = yield* Effect.all(Array.from({ length: 4 }, () => start()))
          for (const { address } of [left!, approved!, asking!, fresh!]) yield* use(address)
          const { client } = yield* register()
          yield* connect(approved!.address)
          yield* sql`UPDATE oauth_client SET fresh_until = fresh_until + interval '2 days' WHERE id = ${fresh!.address}`
          yield* TestClock.adjust("1 day")
          yield* ask(asking!.address)
          assert.strictEqual(yield* removeUnapproved, 0)
          yield* TestClock.adjust("1 second")
          assert.strictEqual(yield* removeUnapproved, 1)
          assert.isTrue(Option.isNone(yield* find(left!.address)))
          for (const id of [approved!.address, asking!.address, fresh!.address, client.id])
            assert.isTrue(Option.isSome(yield* find(id)))
        })
    )
  })

  describe("after 30 days without use", () => {
    it.effect("clients of both kinds are removed with their grants, in batches", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.adjust("31 days")
        yield* removeUnused(1000)
        const { address } = yield* start()
        yield* use(address)
        const { client } = yield* register()
        const connection = yield* connect(client.id)
        yield* sql`UPDATE oauth_connection SET expires_at = created_at WHERE id = ${connection}`
        yield* TestClock.adjust("30 days")
        assert.strictEqual(yield* removeUnused(10), 0)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual([yield* removeUnused(1), yield* removeUnused(1), yield* removeUnused(1)], [1, 1, 0])
        for (const id of [address, client.id]) assert.deepStrictEqual(yield* find(id), Option.none())
        assert.lengthOf(yield* sql`SELECT FROM oauth_connection WHERE id = ${connection}`, 0)
      })
    )

    it.effect("a client with a recent use, a live connection or a waiting request stays", () =>
      Effect.gen(function* () {
        const clients = yield* Clients
        const sql = yield* SqlClient.SqlClient
        const [used, connected, asking, revoked] = yield* Effect.all(Array.from({ length: 4 }, () => register()))
        yield* TestClock.adjust("30 days")
        yield* clients.markUsed(used!.client)
        yield* connect(connected!.client.id)
        const dead = yield* connect(revoked!.client.id)
        yield* sql`
          UPDATE oauth_connection SET revoked_at = ${DateTime.toDate(yield* DateTime.now)}, revoked_reason = 'user'
          WHERE id = ${dead}
        `
        yield* ask(asking!.client.id)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* removeUnused(10), 1)
        assert.deepStrictEqual(yield* find(revoked!.client.id), Option.none())
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* removeUnused(10), 1)
        assert.deepStrictEqual(yield* find(asking!.client.id), Option.none())
      })
    )
  })
})
