import { NodeCrypto } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Kdf } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { request } from "../../support/TestServer.ts"
import { isSignedIn, layer as server, mailTo, newPerson, password } from "../AccountsServer.ts"

const unauthorized = (detail: string) => ({ status: 401, body: { detail, code: "UNAUTHORIZED" } })
const post = (path: string, body: unknown) =>
  Effect.map(request("POST", `/v1/auth${path}`, { body }), ({ body, status }) => ({ status, body }))

const badFields: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
  ["email", { email: "not an address" }],
  ["email", { email: `${"a".repeat(250)}@example.com` }],
  ["email", { email: "a\u0000b@example.com" }],
  ["email", { email: null }],
  ["password", { password: "1234567" }],
  ["password", { password: "x".repeat(129) }],
  ["password", { password: "with\u0000nul-inside" }],
  ["name", { name: "\u0000" }],
  ["referral_code", { referral_code: "\u0000" }]
]

const derived: Array<Kdf.Algorithm> = []

/** The cryptography of Node, which records each derivation from a password. */
const noting = Layer.effect(
  Kdf.Kdf,
  Effect.map(Kdf.Kdf, ({ derive }) =>
    Kdf.Kdf.of({
      derive: (algorithm, ...rest) =>
        Effect.andThen(
          Effect.sync(() => derived.push(algorithm)),
          derive(algorithm, ...rest)
        )
    })
  )
).pipe(Layer.provideMerge(NodeCrypto.layer))

layer(server({}, noting))("Sign-in", (it) => {
  it.effect("a person registers and gets a session", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* request("POST", "/v1/auth/register", {
        body: { email: "  Ada@Example.COM ", password, name: "Ada" }
      })
      const { access_token, refresh_token, ...rest } = body
      assert.strictEqual(status, 201)
      assert.strictEqual(headers["cache-control"], "private, no-store")
      assert.match(refresh_token, /^prs_[\w-]{43}$/)
      assert.deepStrictEqual(rest, {
        token_type: "Bearer",
        expires_in: 900,
        user: {
          id: rest.user.id,
          email: "ada@example.com",
          name: "Ada",
          email_verified: false,
          is_anonymous: false,
          language: "en",
          referral_code: rest.user.referral_code,
          created_at: rest.user.created_at,
          updated_at: rest.user.created_at
        }
      })
      assert.match(rest.user.referral_code, /^[A-HJ-NP-Z2-9]{8}$/)
      assert.match(rest.user.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.isTrue(yield* isSignedIn(access_token))
      const [mail] = yield* mailTo("ada@example.com")
      assert.strictEqual(mail?.subject, "Verify your email")
    })
  )

  it.effect("an email has one account, in any spelling and with concurrent registrations", () =>
    Effect.gen(function* () {
      const { email } = yield* newPerson
      assert.deepStrictEqual(yield* post("/register", { email: email.toUpperCase(), password }), {
        status: 409,
        body: {
          detail: "An account with this email already exists; sign in, or reset its password",
          code: "CONFLICT",
          details: { reason: "email_taken" }
        }
      })
      const racers = yield* Effect.all(
        Array.from({ length: 5 }, () => post("/register", { email: "race@example.com", password })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(racers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409])
    })
  )

  it.effect("an unknown referral code is refused at its field", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* post("/register", { email: "referred@example.com", password, referral_code: "NOBODY22" }),
        {
          status: 422,
          body: {
            code: "VALIDATION_ERROR",
            detail: [{ loc: ["body", "referral_code"], msg: "No account has this referral code", type: "value_error" }]
          }
        }
      )
    })
  )

  it.effect.each(badFields)("a bad %s answers 422: %j", ([field, bad]) =>
    Effect.gen(function* () {
      const { body, status } = yield* post("/register", { email: "good@example.com", password, ...bad })
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(body.detail[0].loc, ["body", field])
    })
  )

  it.effect("a person signs in with the email in any case and the password in any Unicode form", () =>
    Effect.gen(function* () {
      yield* post("/register", { email: "zoe@example.com", password: "Zoe\u0308 und ihr Passwort" })
      const { body, status } = yield* post("/login", {
        email: "ZOE@example.com",
        password: "Zo\u00eb und ihr Passwort"
      })
      assert.strictEqual(status, 200)
      assert.isTrue(yield* isSignedIn(body.access_token))
    })
  )

  it.effect("an unknown email and a wrong password answer the same, after the same work", () =>
    Effect.gen(function* () {
      const { email } = yield* newPerson
      const refused = unauthorized("No account has this email and password")
      const workFor = Effect.fnUntraced(function* (body: unknown) {
        derived.splice(0)
        assert.deepStrictEqual(yield* post("/login", body), refused)
        return derived.splice(0)
      })
      const wrongPassword = yield* workFor({ email, password: "not the password" })
      assert.deepStrictEqual(wrongPassword, [Kdf.argon2id({ memory: 19_456, passes: 2, parallelism: 1 })])
      assert.deepStrictEqual(
        yield* workFor({ email: "nobody@example.com", password: "not the password" }),
        wrongPassword
      )
    })
  )

  it.effect("the database holds neither a password nor a token", () =>
    Effect.gen(function* () {
      const { refresh_token, user } = yield* newPerson
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ password_hash: string }>`SELECT * FROM user_account WHERE id = ${user.id}`
      assert.match(row?.password_hash ?? "", /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
      const tokens = yield* sql`SELECT token_hash FROM refresh_token`
      assert.notInclude(JSON.stringify(tokens), refresh_token.slice(4))
    })
  )

  it.effect("a reset request answers 202 for every address, and mails only existing accounts", () =>
    Effect.gen(function* () {
      const { email } = yield* newPerson
      yield* mailTo(email)
      const accepted = { status: 202, body: null }
      assert.deepStrictEqual(yield* post("/password/forgot", { email }), accepted)
      assert.deepStrictEqual(yield* post("/password/forgot", { email: "stranger@example.com" }), accepted)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT id FROM email_outbox`, 2)
      assert.deepStrictEqual(yield* mailTo("stranger@example.com"), [])
      assert.lengthOf(yield* sql`SELECT id FROM email_outbox`, 0)
    })
  )
})
