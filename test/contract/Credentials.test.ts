import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CredentialChanges } from "../../src/accounts/CredentialChanges.ts"
import { randomUUID } from "node:crypto"
import { Scope } from "../../src/accounts/Scope.ts"
import { SigningKeys } from "../../src/accounts/sessions/SigningKeys.ts"
import { connected } from "../oauth/TokenTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { compare, isAnyones, outcome, scopeOf } from "./AccessTesting.ts"
import { call, newKey, newPerson, type Operation } from "./ContractTesting.ts"

const isGuarded = (operation: Operation) => !isAnyones(operation)
const isSessions = (operation: Operation) => scopeOf(operation) === "session"

type Credentials = NonNullable<Parameters<typeof call>[1]>

/** Calls the operation for ids that do not exist, with these credentials. */
const ask = (operation: Operation, credentials: Credentials) =>
  call(operation, credentials, Object.fromEntries(operation.params.map((param) => [param, randomUUID()])))

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>

/** The same token, expired a minute ago. */
const expired = (token: string, typ: string) =>
  Effect.gen(function* () {
    const now = Math.floor(DateTime.toEpochMillis(yield* DateTime.now) / 1000)
    const claims = { ...claimsOf(token), iat: now - 960, exp: now - 60 }
    return yield* SigningKeys.use((keys) => keys.sign(typ, claims as Parameters<typeof keys.sign>[1]))
  })

/** A key that worked before. */
const usedKey = Effect.gen(function* () {
  const { session } = yield* newPerson
  const key = yield* newKey(session)
  assert.strictEqual((yield* request("GET", "/v1/flags", { key })).status, 200)
  const { body } = yield* request("GET", "/v1/api-keys", { user: session })
  return { session, key, id: body.api_keys[0].id as string }
})

const refusedEverywhere = (credentials: Credentials) =>
  compare(
    isGuarded,
    (operation) => Effect.map(ask(operation, credentials), outcome),
    () => "401 UNAUTHORIZED"
  )

layer(TestApp.layer(), { excludeTestServices: true })("Credentials of the API", (it) => {
  it.effect("a session is accepted everywhere, also together with a key", () =>
    Effect.gen(function* () {
      const shared = yield* newPerson
      yield* compare(
        isGuarded,
        Effect.fnUntraced(function* (operation) {
          // Some of these operations end their session.
          const isOwn = isSessions(operation) && /^\/v1\/(auth|users)\//.test(operation.path)
          const { session } = isOwn ? yield* newPerson : shared
          const { body } = yield* ask(operation, { user: session })
          return ["UNAUTHORIZED", "INSUFFICIENT_SCOPE"].includes(body?.code)
        }),
        () => false
      )
    })
  )

  it.effect("an unrestricted key is accepted everywhere except where only a person may act", () =>
    Effect.gen(function* () {
      const key = yield* newKey((yield* newPerson).session)
      yield* compare(
        isGuarded,
        (operation) =>
          Effect.map(ask(operation, { key }), ({ status }) => (status === 401 || status === 403 ? status : 0)),
        (operation) => (isSessions(operation) ? 401 : 0)
      )
    })
  )

  it.effect("a revoked or expired key is refused everywhere", () =>
    Effect.gen(function* () {
      const revoked = yield* usedKey
      yield* request("DELETE", `/v1/api-keys/${revoked.id}`, { user: revoked.session })
      yield* refusedEverywhere({ key: revoked.key })
      const lapsed = yield* usedKey
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE api_key SET created_at = created_at - interval '1 day', expires_at = created_at - interval '1 minute'
        WHERE id = ${lapsed.id}
      `
      yield* CredentialChanges.use((changes) => changes.caughtUp)
      yield* refusedEverywhere({ key: lapsed.key })
    })
  )

  it.effect("the token of an ended session and an expired token are refused everywhere", () =>
    Effect.gen(function* () {
      const ended = yield* newPerson
      yield* request("POST", "/v1/auth/logout", { user: ended.session })
      yield* refusedEverywhere({ user: ended.session })
      const { session } = yield* newPerson
      yield* refusedEverywhere({ user: yield* expired(session, "JWT") })
      assert.strictEqual((yield* request("GET", "/v1/users/me", { user: session })).status, 200)
    })
  )

  it.effect("an OAuth token with any scopes works only at the tool server", () =>
    Effect.gen(function* () {
      for (const scopes of [Scope.literals, ["catalog:read" as const]]) {
        const { access_token } = yield* connected({ scopes })
        yield* compare(
          isGuarded,
          (operation) =>
            Effect.map(ask(operation, { user: access_token }), (answer) => [outcome(answer), answer.body.details]),
          // No app can have the scope `full-access`.
          (operation) =>
            scopeOf(operation) === "full-access"
              ? ["403 INSUFFICIENT_SCOPE", { required_scope: "full-access" }]
              : ["401 UNAUTHORIZED", undefined]
        )
      }
    })
  )

  it.effect("an OAuth token that has expired, or is sent as a key, is refused everywhere", () =>
    Effect.gen(function* () {
      const { access_token } = yield* connected()
      yield* refusedEverywhere({ user: yield* expired(access_token, "at+jwt") })
      yield* refusedEverywhere({ key: access_token })
    })
  )

  it.effect("invalid credentials do no harm where none are needed", () =>
    Effect.gen(function* () {
      const answers = new Map<string, string>()
      // The first call may change the answer to the second.
      for (const _ of [1, 2])
        yield* compare(
          isAnyones,
          (operation) => Effect.map(ask(operation, {}), (answer) => void answers.set(operation.name, outcome(answer))),
          () => undefined
        )
      for (const credentials of [{ key: "prk_nothing" }, { user: "nonsense" }])
        yield* compare(
          isAnyones,
          (operation) => Effect.map(ask(operation, credentials), outcome),
          ({ name }) => answers.get(name) ?? ""
        )
    })
  )
})
