import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { SigningKeys } from "../../src/accounts/sessions/SigningKeys.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { AccessTokenVerifier, type OAuthCaller } from "../../src/oauth/AccessTokenVerifier.ts"
import { ConnectedApps } from "../../src/oauth/ConnectedApps.ts"
import { TokenRefresh } from "../../src/oauth/TokenRefresh.ts"
import { TokenRevocation } from "../../src/oauth/TokenRevocation.ts"
import * as Testing from "./TokenTesting.ts"

const verify = (token: string) => AccessTokenVerifier.use((verifier) => verifier.verify(token))

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())

type Verify<R> = (token: string) => Effect.Effect<Option.Option<OAuthCaller>, never, R>

/** Waits for a condition in real time. */
const eventually = <E, R>(isSo: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    while (!(yield* isSo)) {
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
    }
  })

const isRefused = <R>(verify: Verify<R>, token: string) => Effect.map(verify(token), Option.isNone)

const scopesOf = <R>(verify: Verify<R>, token: string) =>
  Effect.map(verify(token), (caller) => Option.getOrThrow(caller).scopes.join(" "))

const setScopes = (grant_id: string, scopes: ReadonlyArray<string>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE oauth_grant SET scopes = ${scopes}::text[] WHERE id = ${grant_id}`
  )

const listeners = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ pid: number }>`
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'LISTEN %credential%' AND pid <> pg_backend_pid()
  `
)

/** Ends the listening connections. The test clock measures the pause before listening begins again. */
const loseListeners = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lost = yield* listeners
  assert.isAtLeast(lost.length, 1)
  for (const { pid } of lost) yield* sql`SELECT pg_terminate_backend(${pid})`
  yield* Effect.repeat(listeners, { until: (left) => left.length === 0 })
  return lost
})

const revoke = (connection_id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = DateTime.toDate(yield* DateTime.now)
    yield* sql`UPDATE oauth_connection SET revoked_at = ${now}, revoked_reason = 'user' WHERE id = ${connection_id}`
  })

layer(Testing.layer)("Access tokens", (it) => {
  it.effect("identify the account, the app, the scopes and the limit", () =>
    Effect.gen(function* () {
      const { access_token, client, connection_id, grant_id, user_id } = yield* Testing.connected({
        scopes: ["catalog:read", "orders:write"]
      })
      assert.deepStrictEqual(
        yield* verify(access_token),
        Option.some({
          user_id,
          client_id: client.id,
          connection_id,
          grant_id,
          scopes: ["catalog:read", "orders:write"],
          daily_spend_limit_usd: null
        })
      )
    })
  )

  it.effect("carry the present limit of their grant, which every instance hears of", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { access_token, grant_id, user_id } = yield* Testing.connected({ scopes: ["orders:write"] })
      const other = yield* Testing.instance
      const limitAt = <R>(verify: Verify<R>) =>
        Effect.map(verify(access_token), (caller) => Option.getOrThrow(caller).daily_spend_limit_usd)
      assert.deepStrictEqual([yield* limitAt(verify), yield* limitAt(other.verify)], [null, null])
      yield* ConnectedApps.use((apps) => apps.setLimit(user_id, grant_id, 5n))
      assert.strictEqual(yield* limitAt(verify), 5n)
      yield* eventually(Effect.map(limitAt(other.verify), (limit) => limit === 5n))
      yield* sql`UPDATE oauth_grant SET daily_spend_limit_usd = NULL WHERE id = ${grant_id}`
      for (const verifyAt of [verify, other.verify])
        yield* eventually(Effect.map(limitAt(verifyAt), (limit) => limit === null))
    })
  )

  it.effect("are JWTs of RFC 9068 for the approved resource, valid for 15 minutes", () =>
    Effect.gen(function* () {
      yield* Effect.forEach([Testing.mcpUrl, Testing.issuer], (resource) =>
        Effect.gen(function* () {
          const { access_token, client, connection_id, user_id } = yield* Testing.connected({ resource })
          const header = JSON.parse(Buffer.from(access_token.split(".")[0] ?? "", "base64url").toString())
          assert.deepInclude(header, { alg: "ES256", typ: "at+jwt" })
          assert.isString(header.kid)
          const { exp, iat, jti, ...claims } = claimsOf(access_token)
          assert.deepStrictEqual(claims, {
            iss: Testing.issuer,
            aud: resource,
            sub: user_id,
            client_id: client.id,
            connection_id,
            scope: Testing.reading.join(" ")
          })
          assert.isString(jti)
          assert.strictEqual(exp - iat, 900)
          yield* TestClock.adjust("899 seconds")
          assert.isTrue(Option.isSome(yield* verify(access_token)))
          yield* TestClock.adjust("1 second")
          assert.isTrue(Option.isNone(yield* verify(access_token)))
        })
      )
    })
  )

  it.effect("of another kind, audience, account, client or connection are refused, and so is any other text", () =>
    Effect.gen(function* () {
      const keys = yield* SigningKeys
      const { access_token } = yield* Testing.connected()
      const claims = claimsOf(access_token)
      assert.isTrue(Option.isSome(yield* verify(yield* keys.sign("at+jwt", claims))))
      const { exp: _, ...unending } = claims
      const refused = [
        yield* keys.sign("JWT", claims),
        yield* keys.sign("at+jwt", unending),
        yield* keys.sign("at+jwt", { ...claims, aud: "http://localhost:8080/v1" }),
        yield* keys.sign("at+jwt", { ...claims, sub: randomUUID() }),
        yield* keys.sign("at+jwt", { ...claims, client_id: "dcr_other" }),
        yield* keys.sign("at+jwt", { ...claims, connection_id: randomUUID() }),
        yield* keys.sign("at+jwt", { ...claims, connection_id: "\u0000" }),
        `${access_token.split(".").slice(0, 2).join(".")}.${"A".repeat(86)}`,
        `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url")}.${access_token.split(".")[1]}.`,
        "nonsense",
        ""
      ]
      for (const token of refused) assert.isTrue(Option.isNone(yield* verify(token)), token)
    })
  )

  it.effect("of an ended connection are refused immediately by this instance, and within a second by others", () =>
    Effect.gen(function* () {
      const other = yield* Testing.instance
      type Connected = Effect.Success<ReturnType<typeof Testing.connected>> & { readonly user_id: UserId }
      const byClient = ({ access_token, client }: Connected) =>
        TokenRevocation.use((revocation) => revocation.revoke(client, access_token))
      const byPerson = ({ grant_id, user_id }: Connected) => ConnectedApps.use((apps) => apps.revoke(user_id, grant_id))
      for (const end of [byClient, byPerson]) {
        const connected = yield* Testing.connected()
        const { access_token } = connected
        const { user_id } = Option.getOrThrow(yield* verify(access_token))
        assert.isTrue(Option.isSome(yield* other.verify(access_token)))
        yield* end({ ...connected, user_id })
        assert.isTrue(Option.isNone(yield* verify(access_token)))
        yield* eventually(isRefused(other.verify, access_token))
      }
    })
  )

  it.effect(
    "follow the scopes of their grant within a second on every instance, and a narrowed token never gains scopes",
    () =>
      Effect.gen(function* () {
        const other = yield* Testing.instance
        const { access_token, client, grant_id, refresh_token } = yield* Testing.connected()
        const narrowed = yield* TokenRefresh.use((tokens) =>
          tokens.refresh(client, Testing.refreshing(refresh_token, "wallet:read catalog:read"))
        )
        const become = (token: string, scopes: string) =>
          Effect.forEach([verify, other.verify], (verify) =>
            eventually(Effect.map(scopesOf(verify, token), (found) => found === scopes))
          )

        yield* become(access_token, Testing.reading.join(" "))
        yield* become(narrowed.access_token, "catalog:read wallet:read")
        yield* setScopes(grant_id, ["catalog:read", "orders:read", "orders:write"])
        yield* become(access_token, "catalog:read orders:read orders:write")
        yield* become(narrowed.access_token, "catalog:read")
        yield* setScopes(grant_id, ["orders:write"])
        yield* become(narrowed.access_token, "")
      })
  )

  it.effect("are checked anew after the listening connection was lost", () =>
    Effect.gen(function* () {
      const [lost, revoked] = [yield* Testing.connected(), yield* Testing.connected()]
      assert.isTrue(Option.isSome(yield* verify(lost.access_token)))
      assert.isTrue(Option.isSome(yield* verify(revoked.access_token)))
      const before = yield* loseListeners
      yield* revoke(lost.connection_id)
      // The test clock measures the pause before listening begins again.
      yield* Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 25)))
        const now = yield* listeners
        if (now.length === 0 || now.some(({ pid }) => before.some((old) => old.pid === pid)))
          return yield* Effect.fail("not yet")
      }).pipe(Effect.retry(Schedule.forever))
      yield* eventually(isRefused(verify, lost.access_token))
      yield* revoke(revoked.connection_id)
      yield* eventually(isRefused(verify, revoked.access_token))
    })
  )

  it.effect("of a connection that its client ended are refused here, even without a notification", () =>
    Effect.gen(function* () {
      const { access_token, client } = yield* Testing.connected()
      assert.isTrue(Option.isSome(yield* verify(access_token)))
      yield* loseListeners
      yield* TokenRevocation.use((revocation) => revocation.revoke(client, access_token))
      assert.isTrue(Option.isNone(yield* verify(access_token)))
    })
  )
})
