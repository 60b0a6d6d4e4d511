import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { AuthorizationsRepo } from "../../src/oauth/AuthorizationsRepo.ts"
import { ClientsRepo } from "../../src/oauth/ClientsRepo.ts"
import * as OAuthCleanup from "../../src/oauth/OAuthCleanup.ts"
import { OAuthCleanupRepo } from "../../src/oauth/OAuthCleanupRepo.ts"
import { OAuthEventsRepo } from "../../src/oauth/OAuthEventsRepo.ts"
import { TokensRepo } from "../../src/oauth/TokensRepo.ts"
import * as Secrets from "../../src/platform/Secrets.ts"
import { held, waiting } from "../support/Locks.ts"
import {
  approve,
  begin,
  connectionsOf,
  decide,
  layer as domain,
  newClient,
  newPerson,
  newSession,
  type Person
} from "./AuthorizationTesting.ts"

const repos = Layer.mergeAll(
  AuthorizationsRepo.layer,
  ClientsRepo.layer,
  OAuthCleanupRepo.layer,
  OAuthEventsRepo.layer,
  TokensRepo.layer
)

const left = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [counts] = yield* sql`
    SELECT (SELECT count(*)::int FROM oauth_authorization) AS authorizations,
      (SELECT count(*)::int FROM oauth_refresh_token) AS tokens,
      (SELECT count(*)::int FROM oauth_connection) AS connections,
      (SELECT count(*)::int FROM oauth_grant) AS grants,
      (SELECT count(*)::int FROM oauth_client) AS clients,
      (SELECT count(*)::int FROM oauth_event) AS events
  `
  return counts
})

/** Inserts a refresh token and extends the person's connection to its expiry. */
const redeem = Effect.fnUntraced(function* (person: Person) {
  const tokens = yield* TokensRepo
  const [connection] = yield* connectionsOf(person)
  const connection_id = connection?.id ?? ""
  const now = yield* DateTime.now
  const expires_at = DateTime.add(now, { days: 30 })
  const token_hash = Secrets.digest(randomUUID())
  yield* tokens.insertRefreshToken({ token_hash, connection_id, created_at: now, expires_at, used_at: null })
  yield* tokens.extend(connection_id, now, expires_at)
})

const cleanup = Effect.andThen(OAuthCleanup.removeEnded, OAuthCleanup.removeUnused)

const prepared = Layer.provideMerge(repos, domain)

layer(prepared)("OAuthCleanup", (it) => {
  it.effect("removes each row when it is no longer needed, and none before", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* begin(person, client)
      yield* approve(person, client)
      yield* redeem(person)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE oauth_client SET last_used_at = created_at + interval '40 days'`
      const all = { authorizations: 1, tokens: 1, connections: 1, grants: 1, clients: 1, events: 1 }
      const steps = [
        ["599 seconds", all],
        ["1 second", { ...all, authorizations: 0 }],
        ["719 hours", { ...all, authorizations: 0 }],
        ["1 hour", { ...all, authorizations: 0, tokens: 0 }],
        ["719 hours", { ...all, authorizations: 0, tokens: 0 }],
        ["1 hour", { ...all, authorizations: 0, tokens: 0, connections: 0, grants: 0 }],
        ["10 days", { authorizations: 0, tokens: 0, connections: 0, grants: 0, clients: 0, events: 1 }],
        ["329 days", { authorizations: 0, tokens: 0, connections: 0, grants: 0, clients: 0, events: 1 }],
        ["1 day", { authorizations: 0, tokens: 0, connections: 0, grants: 0, clients: 0, events: 0 }]
      ] as const
      for (const [time, expected] of steps) {
        yield* TestClock.adjust(time)
        yield* cleanup
        assert.deepStrictEqual(yield* left, expected, time)
      }
    })
  )

  it.effect("keeps an ended connection for 30 days, and a grant that other connections share", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* approve(person, client)
      yield* redeem(person)
      yield* sql`UPDATE oauth_connection SET revoked_at = created_at, revoked_reason = 'client'`
      yield* TestClock.adjust("29 days")
      yield* approve(person, client)
      yield* cleanup
      assert.deepInclude(yield* left, { connections: 2, grants: 1 })
      yield* TestClock.adjust("1 day")
      yield* cleanup
      assert.deepInclude(yield* left, { connections: 1, grants: 1, clients: 1 })
    })
  )

  it.effect("does not remove a grant that a person approves at the same moment", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* approve(person, client)
      yield* TestClock.adjust("60 days")
      const id = yield* begin(person, client)
      const session_id = yield* newSession(person.user_id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM oauth_connection`
      const deciding = yield* held(decide(person, id, { session_id }))
      // A removal without SKIP LOCKED, which checks the row again after it waited.
      const before = DateTime.toDate(DateTime.subtract(yield* DateTime.now, { days: 30 }))
      const removing = yield* Effect.forkChild(sql`
        DELETE FROM oauth_grant g WHERE g.user_id = ${person.user_id} AND g.updated_at <= ${before}
          AND NOT EXISTS (SELECT FROM oauth_connection c WHERE c.grant_id = g.id)
      `)
      yield* waiting(1)
      yield* cleanup
      yield* deciding.open
      yield* Effect.all([Fiber.join(deciding.running), Fiber.join(removing)])
      yield* cleanup
      assert.strictEqual((yield* connectionsOf(person)).length, 1)
    })
  )

  it.effect("removes a backlog of many batches in one run, for each kind of row separately", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* begin(person, client)
      yield* sql`
        INSERT INTO oauth_authorization
        SELECT gen_random_uuid(), browser_hash, client_id, redirect_uri, state, code_challenge, resource, scopes,
          created_at, expires_at
        FROM oauth_authorization, generate_series(1, 10500)
      `
      yield* TestClock.adjust("10 minutes")
      yield* cleanup
      assert.deepInclude(yield* left, { authorizations: 0 })
    })
  )
})
