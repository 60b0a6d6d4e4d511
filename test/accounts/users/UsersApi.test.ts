import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { request } from "../../support/TestServer.ts"
import { isSignedIn, layer as server, mailedToken, mailTo, newPerson, password } from "../AccountsServer.ts"

const verify = (token: string) => request("POST", "/v1/auth/email/verify", { body: { token } })
const me = (user: string) => Effect.map(request("GET", "/v1/users/me", { user }), ({ body }) => body)
const patch = (user: string, body: unknown) => request("PATCH", "/v1/users/me", { user, body })

layer(server())("Account", (it) => {
  it.effect("the mailed token verifies the email once", () =>
    Effect.gen(function* () {
      const { access_token, email } = yield* newPerson
      const token = yield* mailedToken(email)
      const verified = yield* verify(token)
      assert.deepStrictEqual({ status: verified.status, body: verified.body }, { status: 204, body: null })
      assert.isTrue((yield* me(access_token)).email_verified)
      const again = yield* verify(token)
      assert.deepStrictEqual(
        { status: again.status, body: again.body },
        {
          status: 400,
          body: { detail: "The token is unknown, expired or already used; request another mail", code: "BAD_REQUEST" }
        }
      )
    })
  )

  it.effect("the mail has a link for people, and the token with its command for programs", () =>
    Effect.gen(function* () {
      const { email } = yield* newPerson
      const [mail] = yield* mailTo(email)
      const [, token = ""] = /^ {2}http\S+\/app\/verify-email\?token=([\w-]{43})$/m.exec(mail?.text ?? "") ?? []
      assert.match(mail?.text ?? "", new RegExp(`Send this token:\\s+${token}\\s+curl \\S+/v1/auth/email/verify`))
    })
  )

  it.effect("a token works for 24 hours, and the person can request another until the email is verified", () =>
    Effect.gen(function* () {
      const { email } = yield* newPerson
      const late = yield* mailedToken(email)
      yield* TestClock.adjust("24 hours")
      assert.strictEqual((yield* verify(late)).status, 400)
      const { body: signedIn } = yield* request("POST", "/v1/auth/login", { body: { email, password } })
      const resend = request("POST", "/v1/auth/email/verify/resend", { user: signedIn.access_token })
      assert.strictEqual((yield* resend).status, 202)
      assert.strictEqual((yield* verify(yield* mailedToken(email))).status, 204)
      const refused = yield* resend
      assert.strictEqual(refused.status, 409)
      assert.deepStrictEqual(refused.body.details, { reason: "email_verified" })
    })
  )

  it.effect("a person sets and removes the name", () =>
    Effect.gen(function* () {
      const { access_token, user } = yield* newPerson
      const named = yield* patch(access_token, { name: "Ada" })
      assert.strictEqual(named.status, 200)
      assert.deepStrictEqual(named.body, { ...user, name: "Ada", updated_at: named.body.updated_at })
      assert.strictEqual((yield* patch(access_token, {})).body.name, "Ada")
      assert.isNull((yield* patch(access_token, { name: null })).body.name)
      assert.strictEqual((yield* patch(access_token, { name: "" })).status, 422)
    })
  )

  it.effect("a new email is unverified, gets its own token, and the old address gets a notice", () =>
    Effect.gen(function* () {
      const { access_token, email } = yield* newPerson
      const first = yield* mailedToken(email)
      yield* verify(first)
      yield* request("POST", "/v1/auth/password/forgot", { body: { email } })
      const resetToken = yield* mailedToken(email)

      const { body, status } = yield* patch(access_token, { email: " Moved@Example.com", password })
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { email: "moved@example.com", email_verified: false })
      const [told] = yield* mailTo(email)
      assert.strictEqual(told?.subject, "Your email was changed")
      assert.include(told?.text ?? "", "moved@example.com")
      const reset = yield* request("POST", "/v1/auth/password/reset", {
        body: { token: resetToken, new_password: "another password" }
      })
      assert.strictEqual(reset.status, 400)

      assert.strictEqual((yield* request("POST", "/v1/auth/login", { body: { email, password } })).status, 401)
      const { body: signedIn } = yield* request("POST", "/v1/auth/login", {
        body: { email: "moved@example.com", password }
      })
      assert.strictEqual(signedIn.user.id, body.id)
    })
  )

  it.effect("changing a verified email needs the password, so that a stolen token cannot take the account over", () =>
    Effect.gen(function* () {
      const { access_token, email } = yield* newPerson
      const mistyped = yield* patch(access_token, { email: "mistyped@example.com" })
      assert.strictEqual(mistyped.body.email, "mistyped@example.com")
      assert.strictEqual((yield* patch(access_token, { email })).status, 200)
      yield* verify(yield* mailedToken(email))

      const missing = yield* patch(access_token, { name: "Eve", email: "thief@example.com" })
      assert.strictEqual(missing.status, 422)
      assert.deepStrictEqual(missing.body.detail, [
        { loc: ["body", "password"], msg: "The account has a password; send it", type: "missing" }
      ])
      const wrong = yield* patch(access_token, { email: "thief@example.com", password: "a guess" })
      assert.strictEqual(wrong.status, 403)
      assert.deepInclude(yield* me(access_token), { email, email_verified: true, name: null })
      assert.deepStrictEqual(yield* mailTo("thief@example.com"), [])

      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE user_account SET password_hash = NULL WHERE email = ${email}`
      assert.strictEqual((yield* patch(access_token, { email: "agent@example.com" })).status, 200)
    })
  )

  it.effect("the email of another account is refused, the current email changes nothing", () =>
    Effect.gen(function* () {
      const other = yield* newPerson
      const { access_token, email } = yield* newPerson
      yield* verify(yield* mailedToken(email))
      const taken = yield* patch(access_token, { name: "Eve", email: other.email, password })
      assert.strictEqual(taken.status, 409)
      assert.deepStrictEqual(taken.body.details, { reason: "email_taken" })
      assert.isNull((yield* me(access_token)).name)
      assert.isTrue((yield* patch(access_token, { email })).body.email_verified)
      assert.deepStrictEqual(yield* mailTo(email), [])
    })
  )

  it.effect("referrals count immediately, earnings only after a credit", () =>
    Effect.gen(function* () {
      const { access_token, user } = yield* newPerson
      for (const email of ["first-friend@example.com", "second-friend@example.com"])
        yield* request("POST", "/v1/auth/register", {
          body: { email, password, referral_code: user.referral_code.toLowerCase() }
        })
      const referrals = request("GET", "/v1/users/me/referrals", { user: access_token })
      assert.deepStrictEqual((yield* referrals).body, {
        referral_code: user.referral_code,
        referred: 2,
        pending_usd: 0,
        earned_usd: 0
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE user_account SET referral_earned_usd = 1500000 WHERE id = ${user.id}`
      assert.strictEqual((yield* referrals).body.earned_usd, 1.5)
    })
  )

  it.effect("deleting an account needs its password, ends everything and frees the email", () =>
    Effect.gen(function* () {
      const { access_token, email, refresh_token, user } = yield* newPerson
      const remove = (body?: unknown) =>
        request("DELETE", "/v1/users/me", { user: access_token, ...(body === undefined ? {} : { body }) })
      const wrong = yield* remove({ password: "not the password" })
      assert.deepStrictEqual(
        { status: wrong.status, body: wrong.body },
        {
          status: 403,
          body: {
            detail: "The password is not the account's current password; check it and try again",
            code: "FORBIDDEN"
          }
        }
      )
      const missing = yield* remove({})
      assert.strictEqual(missing.status, 422)
      assert.deepStrictEqual(missing.body.detail[0].loc, ["body", "password"])
      assert.strictEqual((yield* remove()).status, 422)
      const token = yield* mailedToken(email)

      assert.strictEqual((yield* remove({ password })).status, 204)
      assert.isFalse(yield* isSignedIn(access_token))
      assert.strictEqual((yield* verify(token)).status, 400)
      const refresh = yield* request("POST", "/v1/auth/refresh", { body: { refresh_token } })
      assert.strictEqual(refresh.status, 401)
      const login = yield* request("POST", "/v1/auth/login", { body: { email, password } })
      assert.strictEqual(login.status, 401)
      const referred = yield* request("POST", "/v1/auth/register", {
        body: { email, password, referral_code: user.referral_code }
      })
      assert.strictEqual(referred.status, 422)
      const again = yield* request("POST", "/v1/auth/register", { body: { email, password } })
      assert.strictEqual(again.status, 201)
      assert.notStrictEqual(again.body.user.id, user.id)

      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`SELECT email, name, password_hash FROM user_account WHERE id = ${user.id}`
      assert.deepStrictEqual(row, { email: null, name: null, password_hash: null })
    })
  )
})
