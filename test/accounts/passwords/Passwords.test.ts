import { NodeCrypto } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { request } from "../../support/TestServer.ts"
import { isSignedIn, layer as server, mailedToken, mailTo, newPerson, password } from "../AccountsServer.ts"

const newPassword = "a better password"

const login = (email: string, secret: string) =>
  request("POST", "/v1/auth/login", { body: { email, password: secret } })
const change = (user: string, body: unknown) => request("POST", "/v1/auth/password", { user, body })
const reset = (token: string) =>
  request("POST", "/v1/auth/password/reset", { body: { token, new_password: newPassword } })
const forgot = (email: string) => request("POST", "/v1/auth/password/forgot", { body: { email } })

const validFrom = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ at: Date }>`SELECT sessions_valid_from AS at FROM user_account WHERE id = ${id}`
  return row?.at.getTime() ?? 0
})

layer(server())("Passwords", (it) => {
  it.effect("a change ends every other session immediately, keeps this one, and mails a notice", () =>
    Effect.gen(function* () {
      const { access_token, email, refresh_token, user } = yield* newPerson
      const { body: other } = yield* login(email, password)
      yield* mailTo(email)
      yield* TestClock.adjust("1 second")
      const before = yield* validFrom(user.id)

      const changed = yield* change(access_token, { current_password: password, new_password: newPassword })
      assert.deepStrictEqual({ status: changed.status, body: changed.body }, { status: 204, body: null })
      assert.isTrue(yield* isSignedIn(access_token))
      assert.isFalse(yield* isSignedIn(other.access_token))
      const dead = yield* request("POST", "/v1/auth/refresh", { body: { refresh_token: other.refresh_token } })
      assert.strictEqual(dead.status, 401)
      assert.strictEqual((yield* request("POST", "/v1/auth/refresh", { body: { refresh_token } })).status, 200)
      assert.strictEqual((yield* login(email, password)).status, 401)
      assert.strictEqual((yield* login(email, newPassword)).status, 200)
      assert.isAbove(yield* validFrom(user.id), before)
      const mails = yield* mailTo(email)
      assert.deepStrictEqual(
        mails.map(({ subject }) => subject),
        ["Your password was changed"]
      )
      assert.include(mails[0]?.text, "/app/keys, http://localhost:8080/app/webhooks, ")
    })
  )

  it.effect("a change needs the current password", () =>
    Effect.gen(function* () {
      const { access_token, email } = yield* newPerson
      const wrong = yield* change(access_token, { current_password: "not it", new_password: newPassword })
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
      const missing = yield* change(access_token, { new_password: newPassword })
      assert.strictEqual(missing.status, 422)
      assert.deepStrictEqual(missing.body.detail[0].loc, ["body", "current_password"])
      const short = yield* change(access_token, { current_password: password, new_password: "short" })
      assert.strictEqual(short.status, 422)
      assert.strictEqual((yield* login(email, password)).status, 200)
    })
  )

  it.effect("an account without a password sets its first one without a current one", () =>
    Effect.gen(function* () {
      const { access_token, email, user } = yield* newPerson
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE user_account SET password_hash = NULL WHERE id = ${user.id}`
      assert.strictEqual((yield* login(email, password)).status, 401)
      assert.strictEqual((yield* change(access_token, { new_password: newPassword })).status, 204)
      assert.strictEqual((yield* login(email, newPassword)).status, 200)
    })
  )

  it.effect("one of two concurrent changes succeeds, and its password works", () =>
    Effect.gen(function* () {
      const { access_token, email } = yield* newPerson
      const wanted = ["password of one", "password of two"]
      const answers = yield* Effect.all(
        wanted.map((new_password) => change(access_token, { current_password: password, new_password })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [204, 403])
      const works = yield* Effect.all(wanted.map((secret) => login(email, secret)))
      assert.deepStrictEqual(
        works.map(({ status }) => status === 200),
        answers.map(({ status }) => status === 204)
      )
    })
  )

  it.effect("a mailed token resets the password once, ends all sessions and verifies the email", () =>
    Effect.gen(function* () {
      const { access_token, email, user } = yield* newPerson
      yield* mailTo(email)
      yield* forgot(email)
      const token = yield* mailedToken(email)
      yield* TestClock.adjust("1 second")
      const before = yield* validFrom(user.id)

      assert.strictEqual((yield* reset(token)).status, 204)
      assert.isFalse(yield* isSignedIn(access_token))
      assert.strictEqual((yield* login(email, password)).status, 401)
      const { body } = yield* login(email, newPassword)
      assert.isTrue(body.user.email_verified)
      assert.isAbove(yield* validFrom(user.id), before)
      assert.strictEqual((yield* reset(token)).status, 400)
    })
  )

  it.effect("a reset by the owner of the email removes everything that another person set up in the account", () =>
    Effect.gen(function* () {
      const victim = yield* newPerson
      const owner = yield* newPerson
      yield* request("POST", "/v1/auth/email/verify", { body: { token: yield* mailedToken(owner.email) } })
      const keyWorks = Effect.fnUntraced(function* ({ access_token, email }: typeof owner) {
        const { body } = yield* request("POST", "/v1/api-keys", { user: access_token, body: { name: "before" } })
        yield* mailTo(email)
        yield* forgot(email)
        assert.strictEqual((yield* reset(yield* mailedToken(email))).status, 204)
        return (yield* request("GET", "/v1/users/me", { key: body.key })).status === 200
      })
      assert.isFalse(yield* keyWorks(victim))
      assert.isTrue(yield* keyWorks(owner))
    })
  )

  it.effect("verifying the email keeps earlier keys", () =>
    Effect.gen(function* () {
      const { access_token, email } = yield* newPerson
      const { body } = yield* request("POST", "/v1/api-keys", { user: access_token, body: { name: "before" } })
      yield* request("POST", "/v1/auth/email/verify", { body: { token: yield* mailedToken(email) } })
      const me = yield* request("GET", "/v1/users/me", { key: body.key })
      assert.isTrue(me.body.email_verified)
    })
  )

  it.effect("one of ten parallel resets with one token succeeds", () =>
    Effect.gen(function* () {
      const { email } = yield* newPerson
      yield* mailTo(email)
      yield* forgot(email)
      const token = yield* mailedToken(email)
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => reset(token)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 204),
        1
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 400),
        9
      )
    })
  )

  it.effect("a reset token works for one hour, and does not verify the email", () =>
    Effect.gen(function* () {
      const { email } = yield* newPerson
      const verification = yield* mailedToken(email)
      assert.strictEqual((yield* reset(verification)).status, 400)
      yield* forgot(email)
      const token = yield* mailedToken(email)
      const verified = yield* request("POST", "/v1/auth/email/verify", { body: { token } })
      assert.strictEqual(verified.status, 400)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* reset(token)).status, 400)
    })
  )
})

layer(server({}, NodeCrypto.layer))("Passwords with real hashing", (it) => {
  it.effect("a request is refused with Retry-After when too many passwords wait to be hashed", () =>
    Effect.gen(function* () {
      const { email } = yield* newPerson
      const answers = yield* Effect.all(
        Array.from({ length: 120 }, () => login(email, password)),
        { concurrency: "unbounded" }
      )
      const refused = answers.find(({ status }) => status === 429)
      assert.strictEqual(refused?.headers["retry-after"], "2")
      assert.deepStrictEqual(refused?.body.details, { retry_after: 2 })
      assert.isAtLeast(answers.filter(({ status }) => status === 200).length, 52)
    })
  )
})
