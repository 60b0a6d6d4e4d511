import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { SigningKeys } from "../../../src/accounts/sessions/SigningKeys.ts"
import { request } from "../../support/TestServer.ts"
import { isSignedIn, layer as server, newPerson, password } from "../AccountsServer.ts"
import { cleanup } from "./CleanupTesting.ts"

const refresh = (refresh_token: string) => request("POST", "/v1/auth/refresh", { body: { refresh_token } })

const login = (email: string) =>
  Effect.map(request("POST", "/v1/auth/login", { body: { email, password } }), ({ body }) => body)

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString())

layer(server())("Sessions", (it) => {
  it.effect("a refresh returns the next tokens of the session, and both access tokens work", () =>
    Effect.gen(function* () {
      const first = yield* newPerson
      const { body, headers, status } = yield* refresh(first.refresh_token)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["cache-control"], "private, no-store")
      assert.notStrictEqual(body.refresh_token, first.refresh_token)
      assert.deepStrictEqual(body.user, first.user)
      assert.strictEqual(claimsOf(body.access_token).sid, claimsOf(first.access_token).sid)
      assert.isTrue(yield* isSignedIn(body.access_token))
      assert.isTrue(yield* isSignedIn(first.access_token))
    })
  )

  it.effect("a second use of a refresh token ends the session, for the thief and for the owner", () =>
    Effect.gen(function* () {
      const first = yield* newPerson
      const { body: second } = yield* refresh(first.refresh_token)
      const other = yield* login(first.email)
      const reused = yield* refresh(first.refresh_token)
      assert.strictEqual(reused.status, 401)
      assert.deepStrictEqual(reused.body, {
        detail: "The refresh token is unknown, expired or already used, or its session has ended; sign in again",
        code: "UNAUTHORIZED"
      })
      assert.strictEqual((yield* refresh(second.refresh_token)).status, 401)
      assert.isFalse(yield* isSignedIn(second.access_token))
      assert.isTrue(yield* isSignedIn(other.access_token))
    })
  )

  it.effect("at most one of ten parallel refreshes succeeds, and the session has ended afterwards", () =>
    Effect.gen(function* () {
      const { access_token, refresh_token } = yield* newPerson
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => refresh(refresh_token)),
        { concurrency: "unbounded" }
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      assert.deepStrictEqual(statuses, [200, ...Array.from({ length: 9 }, () => 401)])
      const winner = answers.find(({ status }) => status === 200)
      assert.isFalse(yield* isSignedIn(access_token))
      assert.strictEqual((yield* refresh(winner?.body.refresh_token)).status, 401)
    })
  )

  it.effect("a text that is not a refresh token is refused", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* refresh("prs_nothing")).status, 401)
      assert.strictEqual((yield* refresh("\u0000")).status, 422)
      assert.strictEqual((yield* refresh("")).status, 422)
    })
  )

  it.effect("an access token works for 15 minutes, a refresh token for 30 days from its own issue", () =>
    Effect.gen(function* () {
      const { access_token, refresh_token } = yield* newPerson
      yield* TestClock.adjust("899 seconds")
      assert.isTrue(yield* isSignedIn(access_token))
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* isSignedIn(access_token))
      yield* TestClock.adjust("29 days")
      const { body: second } = yield* refresh(refresh_token)
      assert.isTrue(yield* isSignedIn(second.access_token))
      yield* TestClock.adjust("29 days")
      const { body: third } = yield* refresh(second.refresh_token)
      assert.isTrue(yield* isSignedIn(third.access_token))
      yield* TestClock.adjust("30 days")
      assert.strictEqual((yield* refresh(third.refresh_token)).status, 401)
    })
  )

  it.effect("signing out ends this session immediately, signing out everywhere ends all sessions", () =>
    Effect.gen(function* () {
      const first = yield* newPerson
      const second = yield* login(first.email)
      const third = yield* login(first.email)

      const logout = yield* request("POST", "/v1/auth/logout", { user: first.access_token })
      assert.deepStrictEqual({ status: logout.status, body: logout.body }, { status: 204, body: null })
      assert.isFalse(yield* isSignedIn(first.access_token))
      assert.strictEqual((yield* refresh(first.refresh_token)).status, 401)
      assert.isTrue(yield* isSignedIn(second.access_token))

      yield* TestClock.adjust("1 second")
      const everywhere = yield* request("POST", "/v1/auth/logout-all", { user: second.access_token })
      assert.strictEqual(everywhere.status, 204)
      assert.isFalse(yield* isSignedIn(second.access_token))
      assert.isFalse(yield* isSignedIn(third.access_token))
      assert.strictEqual((yield* refresh(third.refresh_token)).status, 401)

      const sql = yield* SqlClient.SqlClient
      const [account] = yield* sql<{ sessions_valid_from: Date }>`
        SELECT sessions_valid_from FROM user_account WHERE id = ${first.user.id}
      `
      assert.strictEqual(account?.sessions_valid_from.getTime(), yield* Clock.currentTimeMillis)
    })
  )

  it.effect("an access token is an ES256 JWT for this API; a token of another kind, audience or key is refused", () =>
    Effect.gen(function* () {
      const { access_token, user } = yield* newPerson
      const keys = yield* SigningKeys
      const claims = claimsOf(access_token)
      const { alg, typ } = headerOf(access_token)
      assert.deepStrictEqual({ alg, typ }, { alg: "ES256", typ: "JWT" })
      assert.deepInclude(claims, { iss: "http://localhost:8080", aud: "http://localhost:8080/v1", sub: user.id })
      assert.strictEqual(claims.exp - claims.iat, 900)

      assert.isTrue(yield* isSignedIn(yield* keys.sign("JWT", claims)))
      const refused = [
        yield* keys.sign("at+jwt", claims),
        yield* keys.sign("JWT", { ...claims, aud: "http://localhost:8080/mcp" }),
        yield* keys.sign("JWT", { ...claims, sid: randomUUID() }),
        yield* keys.sign("JWT", { ...claims, sub: randomUUID() }),
        yield* keys.sign("JWT", { ...claims, sub: "nobody" }),
        `${access_token.split(".").slice(0, 2).join(".")}.${"A".repeat(86)}`,
        `${Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url")}.${access_token.split(".")[1]}.`,
        "nonsense"
      ]
      for (const token of refused) assert.isFalse(yield* isSignedIn(token), token)
    })
  )

  it.effect("two instances that start at the same time share one signing key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM signing_key`
      const instance = Effect.provide(SigningKeys, Layer.fresh(SigningKeys.layer))
      const [one, two] = yield* Effect.all([instance, instance], { concurrency: "unbounded" })
      const token = yield* one.sign("JWT", { aud: "a", exp: (yield* Clock.currentTimeMillis) / 1000 + 60 })
      assert.strictEqual((yield* two.verify("JWT", "a", token))._tag, "Some")
      assert.lengthOf(yield* sql`SELECT id FROM signing_key`, 1)
    })
  )

  it.effect("an account keeps its hundred newest sessions", () =>
    Effect.gen(function* () {
      const { access_token, email, user } = yield* newPerson
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO user_session (id, user_id, created_at, expires_at)
        SELECT gen_random_uuid(), user_id, created_at + n * interval '1 millisecond', expires_at
        FROM user_session, generate_series(1, 99) n WHERE user_id = ${user.id}
      `
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* isSignedIn(access_token))
      assert.isTrue(yield* isSignedIn((yield* login(email)).access_token))
      assert.isFalse(yield* isSignedIn(access_token))
      assert.lengthOf(yield* sql`SELECT id FROM user_session WHERE user_id = ${user.id}`, 100)
    })
  )

  it.effect("the cleanup deletes expired rows and keeps valid ones", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { refresh_token } = yield* newPerson
      yield* TestClock.adjust("29 days")
      const { body } = yield* refresh(refresh_token)
      yield* newPerson
      yield* TestClock.adjust("2 days")
      yield* cleanup
      const tokens = yield* sql`SELECT used_at FROM refresh_token`
      assert.deepStrictEqual(tokens, [{ used_at: null }, { used_at: null }])
      assert.lengthOf(yield* sql`SELECT id FROM user_session`, 2)
      assert.strictEqual((yield* refresh(body.refresh_token)).status, 200)
    })
  )
})

layer(server({ TRUST_PROXY: "1" }))("The client address of a sign-up", (it) => {
  it.effect("is stored for 90 days when it is public, and not at all when it is private", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keptOf = Effect.fnUntraced(function* (client: string) {
        const headers = { "x-forwarded-for": client }
        const email = `${randomUUID()}@example.com`
        yield* request("POST", "/v1/auth/register", { body: { email, password }, headers })
        const [row] = yield* sql<{ kept: string | null }>`
          SELECT signup_address AS kept FROM user_account WHERE email = ${email}
        `
        return row?.kept
      })
      assert.strictEqual(yield* keptOf("8.8.8.8"), "8.8.8.8")
      assert.strictEqual(yield* keptOf("::ffff:8.8.4.4"), "8.8.4.4")
      assert.strictEqual(yield* keptOf("2600:1f18:1234:5678::9"), "2600:1f18:1234:5678::/64")
      for (const shared of ["172.17.0.1", "127.0.0.1", "192.168.1.9", "100.64.0.1", "::1", "fd00::1", "nonsense"])
        assert.isNull(yield* keptOf(shared))
      const kept = sql`SELECT FROM user_account WHERE signup_address IS NOT NULL`
      yield* TestClock.adjust("89 days")
      yield* cleanup
      assert.lengthOf(yield* kept, 3)
      yield* TestClock.adjust("2 days")
      yield* cleanup
      assert.lengthOf(yield* kept, 0)
    })
  )
})
