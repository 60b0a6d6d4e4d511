import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { request } from "../../support/TestServer.ts"
import { isSignedIn, layer as server, mailedToken, mailTo, newPerson, password } from "../AccountsServer.ts"
import { person } from "./SecondFactorPerson.ts"
import { codeOf, path, turnOn } from "./SecondFactorTesting.ts"

const guarded = Effect.gen(function* () {
  const owner = yield* person
  const { codes, secret } = yield* turnOn(owner.user, password)
  yield* TestClock.adjust("30 seconds")
  return { ...owner, secret, codes, code: codeOf(secret) }
})

const subjectsTo = (email: string) => Effect.map(mailTo(email), (mails) => mails.map(({ subject }) => subject))

layer(server())("The second factor", (it) => {
  it.effect("is turned on with the password and a first code, and shows ten recovery codes once", () =>
    Effect.gen(function* () {
      const { email, id, login, state, user } = yield* person
      assert.deepStrictEqual(yield* state, [false, 0])
      yield* mailTo(email)
      const { begun, codes, on, secret } = yield* turnOn(user, password)
      assert.deepStrictEqual([begun.status, begun.headers["cache-control"]], [201, "private, no-store"])
      assert.include(begun.body.otpauth_uri, `:${encodeURIComponent(email)}?secret=${secret}&issuer=`)
      assert.deepStrictEqual([on.status, on.headers["cache-control"]], [200, "private, no-store"])
      assert.lengthOf(new Set(codes), 10)
      assert.deepStrictEqual(yield* state, [true, 10])
      assert.deepStrictEqual(yield* subjectsTo(email), ["Two-step sign-in is on"])
      const sql = yield* SqlClient.SqlClient
      const kept = JSON.stringify(yield* sql`SELECT * FROM recovery_code WHERE user_id = ${id}`)
      for (const code of codes) assert.notInclude(kept, code.replaceAll("-", ""))
      assert.isEmpty(yield* sql`SELECT FROM second_factor_setup WHERE user_id = ${id}`)
      assert.strictEqual((yield* login()).reason, "otp_required")
      assert.isTrue(yield* isSignedIn(user), "the session stays")
    })
  )

  it.effect("changes nothing before its first code, in this session, within 15 minutes", () =>
    Effect.gen(function* () {
      const { call, email, id, login } = yield* person
      assert.strictEqual((yield* call("POST", "/confirm", { otp: "123456" })).reason, "second_factor_not_started")
      assert.strictEqual((yield* call("POST", "", { password: "not the password" })).status, 403)
      assert.strictEqual((yield* call("POST", "", {})).status, 422)
      const first = (yield* call("POST", "", { password })).body.secret
      const { secret } = (yield* call("POST", "", { password })).body
      assert.notStrictEqual(first, secret)
      for (const otp of [yield* codeOf(first), yield* codeOf(secret, 2), "abcd-efgh-ijkl-mnop"])
        assert.deepInclude(yield* call("POST", "/confirm", { otp }), { status: 403, reason: "otp_invalid" })
      const other = yield* login()
      assert.strictEqual(other.status, 200)
      const otp = yield* codeOf(secret)
      const elsewhere = yield* request("POST", `${path}/confirm`, { user: other.user, body: { otp } })
      assert.strictEqual(elsewhere.body.details.reason, "second_factor_not_started")
      yield* TestClock.adjust("15 minutes")
      // Its access token has expired as well.
      const later = (yield* login()).user
      const late = yield* request("POST", `${path}/confirm`, { user: later, body: { otp: yield* codeOf(secret) } })
      assert.strictEqual(late.body.details.reason, "second_factor_not_started")
      const sql = yield* SqlClient.SqlClient
      assert.isEmpty(yield* sql`SELECT FROM second_factor WHERE user_id = ${id}`)
      assert.notInclude(yield* subjectsTo(email), "Two-step sign-in is on")
    })
  )

  it.effect("needs a verified email, because a password reset takes over an account without one", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const { access_token: user } = yield* newPerson
      const refused = yield* request("POST", path, { user, body: { password } })
      assert.deepStrictEqual([refused.status, refused.body.details.reason], [403, "email_not_verified"])
    })
  )

  it.effect("is set up once", () =>
    Effect.gen(function* () {
      const { call, code } = yield* guarded
      assert.deepInclude(yield* call("POST", "", { password }), { status: 409, reason: "second_factor_on" })
      assert.deepInclude(yield* call("POST", "/confirm", { otp: yield* code }), {
        status: 409,
        reason: "second_factor_on"
      })
    })
  )

  it.effect("is asked for at sign-in, with a code of the app that works once", () =>
    Effect.gen(function* () {
      const { code, login, secret } = yield* guarded
      assert.deepInclude(yield* login(), { status: 401, reason: "otp_required" })
      assert.deepInclude(yield* login({ otp: null }), { status: 401, reason: "otp_required" })
      const wrong = yield* login({ password: "not the password", otp: yield* code })
      assert.deepInclude(wrong, { status: 401, reason: undefined })
      for (const otp of [yield* codeOf(secret, -2), yield* codeOf(secret, 2), yield* codeOf(secret, -1)])
        assert.deepInclude(yield* login({ otp }), { status: 401, reason: "otp_invalid" }, otp)
      const otp = yield* code
      const signedIn = yield* login({ otp: `${otp.slice(0, 3)} ${otp.slice(3)}` })
      assert.isTrue(yield* isSignedIn(signedIn.user))
      assert.deepInclude(yield* login({ otp }), { status: 401, reason: "otp_invalid" }, "a replay")
      const next = yield* codeOf(secret, 1)
      assert.strictEqual((yield* login({ otp: next })).status, 200)
      assert.strictEqual((yield* login({ otp })).status, 401, "an earlier code")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* login({ otp: next })).status, 401, "the same code, which is still shown")
      for (const otp of ["", "12345", "1".repeat(41), "1\u00002345"])
        assert.strictEqual((yield* login({ otp })).status, 422, JSON.stringify(otp))
    })
  )

  it.effect("accepts one of two requests with the same code, or with the same recovery code", () =>
    Effect.gen(function* () {
      const { code, codes, login, state } = yield* guarded
      for (const otp of [yield* code, codes[0]]) {
        const answers = yield* Effect.all(
          Array.from({ length: 4 }, () => login({ otp })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
      }
      assert.deepStrictEqual(yield* state, [true, 9])
    })
  )

  it.effect("ignores a code of an account that has none", () =>
    Effect.gen(function* () {
      const { login } = yield* person
      assert.strictEqual((yield* login({ otp: "123456" })).status, 200)
    })
  )

  it.effect("lets the owner in with a recovery code after the app is lost, tells it by mail, and starts anew", () =>
    Effect.gen(function* () {
      const { codes, email, login } = yield* guarded
      yield* mailTo(email)
      const { user } = yield* login({ otp: codes[3]?.toUpperCase() })
      assert.isTrue(yield* isSignedIn(user))
      const [mail] = yield* mailTo(email)
      assert.strictEqual(mail?.subject, "A recovery code was used")
      assert.include(mail?.text ?? "", "Recovery codes left: 9.")
      assert.strictEqual((yield* login({ otp: codes[3] })).reason, "otp_invalid")
      const body = { password, otp: codes[4] }
      assert.strictEqual((yield* request("DELETE", path, { user, body })).status, 204)
      assert.include(yield* subjectsTo(email), "Two-step sign-in is off")
      assert.strictEqual((yield* login()).status, 200)
      const again = yield* turnOn(user, password)
      assert.strictEqual(again.on.status, 200)
      assert.strictEqual((yield* login({ otp: codes[5] })).reason, "otp_invalid", "a code of the earlier setup")
      assert.strictEqual((yield* login({ otp: again.codes[0] })).status, 200)
    })
  )

  it.effect("stays on after a password reset: the new password alone does not sign in", () =>
    Effect.gen(function* () {
      const { code, email, login, user } = yield* guarded
      yield* request("POST", "/v1/auth/password/forgot", { body: { email } })
      const body = { token: yield* mailedToken(email), new_password: "another password" }
      assert.strictEqual((yield* request("POST", "/v1/auth/password/reset", { body })).status, 204)
      assert.isFalse(yield* isSignedIn(user))
      assert.strictEqual((yield* login({ password: "another password" })).reason, "otp_required")
      assert.strictEqual((yield* login({ password: "another password", otp: yield* code })).status, 200)
    })
  )

  it.effect("stays on when the email changes and its new owner resets the password", () =>
    Effect.gen(function* () {
      const { login, user } = yield* guarded
      const email = `moved-${crypto.randomUUID()}@example.com`
      yield* request("PATCH", "/v1/users/me", { user, body: { email, password } })
      // The mail that verifies the email goes first: mails of the same moment have no order.
      yield* mailTo(email)
      yield* request("POST", "/v1/auth/password/forgot", { body: { email } })
      const body = { token: yield* mailedToken(email), new_password: "another password" }
      assert.strictEqual((yield* request("POST", "/v1/auth/password/reset", { body })).status, 204)
      assert.strictEqual((yield* login({ email, password: "another password" })).reason, "otp_required")
    })
  )

  it.effect("is turned off with the password and a code, never with one of them", () =>
    Effect.gen(function* () {
      const other = yield* guarded
      const { call, code, email, login, state } = yield* guarded
      for (const [body, status] of [
        [{ password, otp: "000000" }, 403],
        [{ password, otp: yield* codeOf(other.secret, 1) }, 403],
        [{ password, otp: other.codes[0] }, 403],
        [{ password: "not the password", otp: yield* code }, 403],
        [{ otp: yield* code }, 422],
        [{ password }, 422]
      ] as const)
        for (const [method, at] of [
          ["DELETE", ""],
          ["POST", "/recovery-codes"]
        ] as const)
          assert.strictEqual((yield* call(method, at, body)).status, status, JSON.stringify(body))
      assert.deepStrictEqual(yield* state, [true, 10])
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT FROM recovery_code WHERE user_id = ${other.id}`, 10)
      yield* mailTo(email)
      assert.strictEqual((yield* call("DELETE", "", { password, otp: yield* code })).status, 204)
      assert.deepStrictEqual(yield* subjectsTo(email), ["Two-step sign-in is off"])
      assert.deepStrictEqual(yield* state, [false, 0])
      assert.strictEqual((yield* login()).status, 200)
      for (const [method, at] of [
        ["DELETE", ""],
        ["POST", "/recovery-codes"]
      ] as const)
        assert.strictEqual((yield* call(method, at, { password, otp: "123456" })).reason, "second_factor_off")
    })
  )

  it.effect("replaces the recovery codes: the earlier ones stop working", () =>
    Effect.gen(function* () {
      const { call, code, codes, login, state } = yield* guarded
      yield* login({ otp: codes[0] })
      assert.deepStrictEqual(yield* state, [true, 9])
      const renewed = (yield* call("POST", "/recovery-codes", { password, otp: yield* code })).body.recovery_codes
      assert.lengthOf(new Set([...codes, ...renewed]), 20)
      assert.deepStrictEqual(yield* state, [true, 10])
      assert.strictEqual((yield* login({ otp: codes[1] })).reason, "otp_invalid")
      assert.strictEqual((yield* login({ otp: renewed[1] })).status, 200)
    })
  )

  it.effect("is not asked of API keys, and they cannot change it", () =>
    Effect.gen(function* () {
      const { user } = yield* guarded
      const { body } = yield* request("POST", "/v1/api-keys", { user, body: { name: "key" } })
      assert.strictEqual((yield* request("GET", "/v1/users/me", { key: body.key })).status, 200)
      for (const [method, at] of [
        ["GET", ""],
        ["POST", ""],
        ["DELETE", ""],
        ["POST", "/confirm"],
        ["POST", "/recovery-codes"]
      ] as const)
        assert.strictEqual(
          (yield* request(method, `${path}${at}`, { key: body.key, ...(method !== "GET" && { body: {} }) })).status,
          401
        )
    })
  )

  it.effect("ends with the account", () =>
    Effect.gen(function* () {
      const { id, user } = yield* guarded
      assert.strictEqual((yield* request("DELETE", "/v1/users/me", { user, body: { password } })).status, 204)
      const sql = yield* SqlClient.SqlClient
      assert.isEmpty(yield* sql`SELECT FROM second_factor WHERE user_id = ${id}`)
      assert.isEmpty(yield* sql`SELECT FROM recovery_code WHERE user_id = ${id}`)
    })
  )

  it.effect("keeps its secret and never accepts an earlier code, also for the database", () =>
    Effect.gen(function* () {
      const { id } = yield* guarded
      const sql = yield* SqlClient.SqlClient
      for (const change of [
        sql`UPDATE second_factor SET last_step = last_step WHERE user_id = ${id}`,
        sql`UPDATE second_factor SET last_step = last_step - 1 WHERE user_id = ${id}`,
        sql`UPDATE second_factor SET secret = ${"A".repeat(32)}, last_step = last_step + 1 WHERE user_id = ${id}`,
        sql`INSERT INTO recovery_code (user_id, position, code_hash) VALUES (${id}, 11, ${"0".repeat(64)})`
      ])
        assert.strictEqual((yield* Effect.flip(change)).reason._tag, "ConstraintError")
    })
  )
})

layer(server({ AUTH_RATE_LIMIT_FACTOR: "1" }))("The limits of the second factor", (it) => {
  it.effect("an account takes 5 wrong codes in 15 minutes, then not even a right one; right codes do not count", () =>
    Effect.gen(function* () {
      const other = yield* guarded
      const { call, codes, login, secret } = yield* guarded
      for (let n = 1; n <= 3; n++) {
        assert.strictEqual((yield* login({ otp: yield* codeOf(secret) })).status, 200)
        yield* TestClock.adjust("30 seconds")
      }
      const mistyped = codes.slice(0, 2).map((code) => code.replace(/^./, (first) => (first === "2" ? "3" : "2")))
      for (const otp of ["000000", "000001", ...mistyped]) assert.strictEqual((yield* login({ otp })).status, 401)
      assert.strictEqual((yield* call("DELETE", "", { password, otp: "000002" })).status, 403)
      assert.strictEqual((yield* login({ otp: yield* codeOf(secret) })).status, 429)
      assert.strictEqual((yield* login({ otp: codes[2] })).status, 429)
      assert.strictEqual((yield* call("DELETE", "", { password, otp: codes[2] })).status, 429)
      assert.strictEqual((yield* login()).reason, "otp_required")
      assert.strictEqual((yield* other.login({ otp: yield* other.code })).status, 200, "another account")
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* login({ otp: codes[2] })).status, 200)
    })
  )

  it.effect("a right password without a code counts as a wrong password does", () =>
    Effect.gen(function* () {
      const { code, login } = yield* guarded
      for (let n = 1; n <= 20; n++) assert.strictEqual((yield* login()).status, 401)
      assert.strictEqual((yield* login()).status, 429)
      assert.strictEqual((yield* login({ otp: yield* code })).status, 429)
    })
  )
})
