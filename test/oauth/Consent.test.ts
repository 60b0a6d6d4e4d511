import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Authorizations } from "../../src/oauth/Authorizations.ts"
import { Consent } from "../../src/oauth/Consent.ts"
import * as Secrets from "../../src/platform/Secrets.ts"
import {
  answered,
  approve,
  begin,
  challenge,
  connectionsOf,
  decide,
  eventsOf,
  issuer,
  layer as domain,
  newClient,
  newPerson
} from "./AuthorizationTesting.ts"

const read = ["catalog:read", "account:read", "orders:read", "wallet:read"]

layer(domain)("A decision", (it) => {
  it.effect("to approve returns a code of 60 seconds, the state and iss, and is recorded", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [person, client] = [yield* newPerson, yield* newClient()]
      const decided = yield* decide(person, yield* begin(person, client, { redirect_uri: "com.example.app:/cb" }))
      const location = decided._tag === "Redirect" ? decided.location : ""
      assert.match(location, /^com\.example\.app:\/cb\?code=pac_[\w-]{43}&state=xyz&iss=https%3A%2F%2Fproxies\.test$/)
      const [connection, ...more] = yield* sql`
        SELECT c.code_hash, c.code_challenge, c.redirect_uri, c.revoked_at, c.code_used_at, g.client_id, g.resource, g.scopes,
          c.code_expires_at = c.expires_at AS dies, extract(epoch FROM c.code_expires_at - c.created_at)::int AS seconds
        FROM oauth_connection c JOIN oauth_grant g ON g.id = c.grant_id WHERE g.user_id = ${person.user_id}
      `
      assert.deepStrictEqual(connection, {
        code_hash: Secrets.digest(answered(location)["code"] ?? ""),
        code_challenge: challenge,
        redirect_uri: "com.example.app:/cb",
        revoked_at: null,
        code_used_at: null,
        client_id: client,
        resource: `${issuer}/mcp`,
        scopes: read,
        dies: true,
        seconds: 60
      })
      assert.isEmpty(more)
      assert.deepStrictEqual(yield* eventsOf(person), [
        { kind: "approved", scopes: read, reason: null, client_address: "192.0.2.1" }
      ])
    })
  )

  it.effect("to decline returns access_denied, connects nothing, and is recorded", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      const decided = yield* decide(person, yield* begin(person, client, { state: undefined }), { approved: false })
      const { error_description: _, ...rest } = answered(decided._tag === "Redirect" ? decided.location : "")
      assert.deepStrictEqual(rest, { error: "access_denied", iss: issuer })
      assert.isEmpty(yield* connectionsOf(person))
      assert.deepStrictEqual(yield* eventsOf(person), [
        { kind: "declined", scopes: read, reason: null, client_address: "192.0.2.1" }
      ])
    })
  )

  it.effect("grants all requested reading scopes, and spending when it was requested and ticked", () =>
    Effect.gen(function* () {
      const client = yield* newClient()
      for (const [scope, spending, granted] of [
        ["catalog:read orders:write", true, ["catalog:read", "orders:write"]],
        ["catalog:read orders:write", false, ["catalog:read"]],
        ["catalog:read wallet:read", true, ["catalog:read", "wallet:read"]],
        ["orders:write", true, ["orders:write"]]
      ] as const) {
        const person = yield* newPerson
        yield* approve(person, client, { scope }, { spending })
        assert.deepStrictEqual(
          (yield* connectionsOf(person)).map(({ scopes }) => scopes),
          [granted]
        )
      }
    })
  )

  it.effect("sets the daily limit of an app that may spend, and replaces it with the next approval", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [person, client] = [yield* newPerson, yield* newClient()]
      const scope = "catalog:read orders:write"
      for (const [spending, daily_spend_limit_usd, held] of [
        [true, 5_000_000n, 5_000_000n],
        [true, 7n, 7n],
        [true, null, null],
        [false, 5_000_000n, null]
      ] as const) {
        yield* approve(person, client, { scope }, { spending, daily_spend_limit_usd })
        const rows = yield* sql`SELECT daily_spend_limit_usd AS held FROM oauth_grant WHERE user_id = ${person.user_id}`
        assert.deepStrictEqual(rows, [{ held }])
      }
      yield* Effect.flip(sql`UPDATE oauth_grant SET daily_spend_limit_usd = 0 WHERE user_id = ${person.user_id}`)
    })
  )

  it.effect("proposes a daily limit, unless the app may already spend: then its own", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      const scope = "catalog:read orders:write"
      const proposed = Effect.gen(function* () {
        const id = yield* begin(person, client, { scope })
        const pending = yield* Authorizations.use((all) => all.find(id, person.browser_hash))
        return yield* Consent.use((consent) => consent.proposeLimit(person.user_id, Option.getOrThrow(pending)))
      })
      assert.strictEqual(yield* proposed, 25_000_000n)
      for (const [spending, daily_spend_limit_usd, next] of [
        [false, null, 25_000_000n],
        [true, 5_000_000n, 5_000_000n],
        [true, null, null]
      ] as const) {
        yield* approve(person, client, { scope }, { spending, daily_spend_limit_usd })
        assert.strictEqual(yield* proposed, next)
      }
    })
  )

  it.effect("to approve nothing asks the person again", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      const id = yield* begin(person, client, { scope: "orders:write" })
      assert.deepStrictEqual(yield* decide(person, id), { _tag: "NothingGranted" })
      assert.isEmpty(yield* connectionsOf(person))
      assert.strictEqual((yield* decide(person, id, { spending: true }))._tag, "Redirect")
    })
  )

  it.effect("replaces the scopes of all connections of the app at that resource, also with fewer scopes", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      const scope = "catalog:read orders:read orders:write"
      yield* approve(person, client, { scope }, { spending: true })
      yield* approve(person, client, { scope, resource: issuer }, { spending: true })
      yield* TestClock.adjust("1 second")
      yield* approve(person, client, { scope: "catalog:read orders:write" })
      assert.deepStrictEqual((yield* connectionsOf(person)).map(({ scopes }) => scopes.join(" ")).toSorted(), [
        "catalog:read",
        "catalog:read",
        scope
      ])
    })
  )

  it.effect("counts once, only in the browser that sent the request, and only for a signed-in person", () =>
    Effect.gen(function* () {
      const [person, other, client] = [yield* newPerson, yield* newPerson, yield* newClient()]
      const id = yield* begin(person, client)
      assert.deepStrictEqual(yield* decide(other, id), { _tag: "Gone" })
      assert.deepStrictEqual(yield* decide(person, randomUUID()), { _tag: "Gone" })
      const { session_id } = other
      for (const dead of [{ session_id: randomUUID() }, { session_id }])
        assert.deepStrictEqual(yield* decide(person, id, dead), { _tag: "SignedOut" })
      assert.strictEqual((yield* decide(person, id))._tag, "Redirect")
      for (const approved of [true, false])
        assert.deepStrictEqual(yield* decide(person, id, { approved }), { _tag: "Gone" })
      assert.strictEqual((yield* connectionsOf(person)).length, 1)
    })
  )

  it.effect("about one request leaves other requests in the same browser waiting", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      const [first, second] = [yield* begin(person, client), yield* begin(person, yield* newClient())]
      assert.strictEqual((yield* decide(person, first, { approved: false }))._tag, "Redirect")
      assert.strictEqual((yield* decide(person, second))._tag, "Redirect")
    })
  )

  it.effect("ends the least recently used connection when an app has a hundred", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* approve(person, client)
      const [first] = yield* connectionsOf(person)
      yield* sql`
        INSERT INTO oauth_connection (id, grant_id, code_hash, code_challenge, redirect_uri, code_expires_at, expires_at,
          created_at, last_used_at)
        SELECT gen_random_uuid(), grant_id, encode(sha256(n::text::bytea), 'hex'), code_challenge, redirect_uri,
          code_expires_at, expires_at, created_at - n * interval '1 minute', created_at + n * interval '1 second'
        FROM oauth_connection, generate_series(1, 99) n WHERE id = ${first?.id}
      `
      yield* approve(person, client)
      const ended = (yield* connectionsOf(person)).filter(({ reason }) => reason !== null)
      assert.deepStrictEqual(
        ended.map(({ id, reason }) => `${id} ${reason}`),
        [`${first?.id} superseded`]
      )
    })
  )

  it.effect("cannot change a revoked connection, because the database refuses it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* approve(person, client)
      const [connection] = yield* connectionsOf(person)
      const change = (what: string) => sql.unsafe(`UPDATE oauth_connection SET ${what} WHERE id = '${connection?.id}'`)
      yield* change("revoked_at = now(), revoked_reason = 'client'")
      for (const what of [
        "revoked_at = NULL, revoked_reason = NULL",
        "revoked_reason = 'user'",
        "revoked_at = revoked_at + interval '1 day'",
        "expires_at = expires_at + interval '1 day'",
        "code_used_at = now()"
      ])
        assert.strictEqual((yield* Effect.flip(change(what)))._tag, "SqlError", what)
      assert.deepStrictEqual(
        (yield* eventsOf(person)).map(({ kind, reason }) => [kind, reason]),
        [
          ["approved", null],
          ["revoked", "client"]
        ]
      )
      yield* Effect.flip(sql`UPDATE oauth_event SET reason = 'user' WHERE kind = 'approved'`)
      yield* Effect.flip(sql`UPDATE oauth_event SET reason = NULL WHERE kind = 'revoked'`)
    })
  )
})
