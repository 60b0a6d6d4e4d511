import { assert, layer } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import * as EmailDelivery from "../../src/accounts/mail/EmailDelivery.ts"
import { EmailOutboxRepo } from "../../src/accounts/mail/EmailOutboxRepo.ts"
import { EmailTokensRepo } from "../../src/accounts/EmailTokensRepo.ts"
import { SentMail } from "../../src/platform/mail/Mailer.ts"
import { http, newAccount, password } from "../dashboard/PagesTesting.ts"
import * as Browser from "../support/Browser.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

const from = (address: string) => ({ "x-forwarded-for": address })

const login = (email: string, address: string, fields: object = {}) =>
  Effect.map(
    request("POST", "/v1/auth/login", { headers: from(address), body: { email, password, ...fields } }),
    ({ status }) => status
  )

const wrong = { password: "not the password" }

/** Tries to sign in with a browser at this address; answers the page where that ends. */
const signIn = (browser: ReturnType<typeof Browser.make>, email: string, address: string, secret = password) =>
  Effect.gen(function* () {
    yield* browser.open(`${http}/app/sign-in`)
    const { status, url } = yield* browser.submit({ email, password: secret }, { headers: from(address) })
    return status === 200 ? new URL(url).pathname : status
  })

/** Uses up the account's limit of failed sign-ins from five addresses. */
const attack = (email: string) =>
  Effect.forEach(
    Array.from({ length: 100 }, (_, n) => `198.51.100.${n % 5}`),
    (address) => login(email, address, wrong),
    { concurrency: 8 }
  )

const sentTo = Effect.fnUntraced(function* (address: string) {
  yield* EmailDelivery.run.pipe(Effect.provide([CredentialsRepo.layer, EmailOutboxRepo.layer, EmailTokensRepo.layer]))
  const sent = yield* Ref.get(yield* SentMail)
  return sent.filter(({ subject, to }) => to === address && subject === "Sign in to your account")
})

const unlock = (email: string, address: string) =>
  Effect.map(
    request("POST", "/v1/auth/login/unlock", { headers: from(address), body: { email } }),
    ({ status }) => status
  )

/** An owner with a browser that signed in before and signed out. */
const newOwner = Effect.gen(function* () {
  yield* TestClock.adjust("1 hour")
  const { email, id, token } = yield* newAccount
  const browser = yield* Browser.forServer(http)
  assert.strictEqual(yield* signIn(browser, email, "192.0.2.1"), "/app")
  yield* browser.submit({}, { action: "/sign-out" })
  return { browser, email, id, token }
})

/** An owner whom strangers lock out everywhere. */
const lockedOut = Effect.gen(function* () {
  const owner = yield* newOwner
  assert.isTrue((yield* attack(owner.email)).every((status) => status === 401))
  assert.strictEqual(yield* login(owner.email, "203.0.113.1"), 429)
  assert.strictEqual(yield* signIn(yield* Browser.forServer(http), owner.email, "203.0.113.1"), 429)
  return owner
})

layer(TestApp.layer({ AUTH_RATE_LIMIT_FACTOR: "1", TRUST_PROXY: "1" }))(
  "An owner whom failed sign-ins from five addresses lock out",
  (it) => {
    it.effect("signs in with a browser that signed in before, also from an address without sign-ins left", () =>
      Effect.gen(function* () {
        const { browser, email } = yield* lockedOut
        assert.strictEqual(yield* signIn(browser, email, "198.51.100.1"), "/app")
      })
    )

    it.effect("signs in with any client by a token from a mail, any number of times within two hours", () =>
      Effect.gen(function* () {
        const { email } = yield* lockedOut
        assert.strictEqual(yield* unlock(email, "203.0.113.1"), 202)
        const [mail] = yield* sentTo(email)
        const unlock_token = /^ {2}([\w-]{43})$/m.exec(mail?.text ?? "")?.[1]
        for (let n = 0; n < 25; n++) assert.strictEqual(yield* login(email, "203.0.113.1", { unlock_token }), 200)
        assert.strictEqual(yield* login(email, "203.0.113.1"), 429)
        assert.strictEqual(yield* login(email, "203.0.113.1", { unlock_token: "A".repeat(43) }), 429)
        const other = yield* lockedOut
        assert.strictEqual(yield* login(other.email, "203.0.113.9", { unlock_token }), 429)
        yield* TestClock.adjust("2 hours")
        yield* attack(email)
        assert.strictEqual(yield* login(email, "203.0.113.1", { unlock_token }), 429)
      })
    )

    it.effect("signs in with a new browser by a link from a mail", () =>
      Effect.gen(function* () {
        const { email } = yield* lockedOut
        const browser = yield* Browser.forServer(http)
        yield* signIn(browser, email, "203.0.113.1")
        const [, path = ""] = /href="([^"]*)">get a link by mail/.exec(browser.page()?.text ?? "") ?? []
        yield* browser.open(`${http}${path}`)
        assert.strictEqual((yield* browser.submit({ email: "ada" })).status, 422)
        const asked = yield* browser.submit({ email })
        assert.include(asked.text, "Look for our mail")
        const [mail] = yield* sentTo(email)
        yield* browser.open(/http\S+unlock=\S+/.exec(mail?.text ?? "")?.[0] ?? "")
        yield* browser.submit({ email, ...wrong })
        assert.strictEqual(browser.page()?.status, 401)
        assert.strictEqual(new URL((yield* browser.submit({ email, password })).url).pathname, "/app")
        yield* browser.submit({}, { action: "/sign-out" })
        assert.strictEqual(yield* signIn(browser, email, "203.0.113.1"), "/app")
      })
    )
  }
)

layer(TestApp.layer({ AUTH_RATE_LIMIT_FACTOR: "1", TRUST_PROXY: "1" }))("The way past the lock", (it) => {
  it.effect(
    "allows no more guesses: a known browser fails 20 times, and a browser of another account counts as a stranger's",
    () =>
      Effect.gen(function* () {
        const stranger = yield* newOwner
        const { browser, email } = yield* lockedOut
        assert.strictEqual(yield* signIn(stranger.browser, email, "203.0.113.7"), 429)
        for (let n = 0; n < 20; n++)
          assert.strictEqual(yield* signIn(browser, email, "192.0.2.1", "not the password"), 401)
        assert.strictEqual(yield* signIn(browser, email, "192.0.2.1"), 429)
      })
  )

  it.effect("is mailed 5 times an hour; the answers do not tell whether the account exists", () =>
    Effect.gen(function* () {
      const { email } = yield* newOwner
      const five = [202, 202, 202, 202, 202, 429]
      for (const asked of [email, "nobody@example.com"]) {
        const statuses = yield* Effect.forEach(five, (_, n) => unlock(asked, `203.0.113.${n}`))
        assert.deepStrictEqual(statuses, five)
      }
      assert.lengthOf(yield* sentTo(email), 5)
      assert.lengthOf(yield* sentTo("nobody@example.com"), 0)
      yield* TestClock.adjust("59 minutes")
      const [mail] = yield* sentTo(email)
      const unlock_token = /^ {2}([\w-]{43})$/m.exec(mail?.text ?? "")?.[1]
      yield* attack(email)
      assert.strictEqual(yield* unlock(email, "203.0.113.8"), 429)
      assert.strictEqual(yield* login(email, "203.0.113.8", { unlock_token }), 200)
    })
  )

  it.effect("is refused on a page that says whether links were mailed or others at the address asked for many", () =>
    Effect.gen(function* () {
      const { email } = yield* newOwner
      const problem = Effect.fnUntraced(function* (address: string) {
        const browser = yield* Browser.forServer(http)
        yield* browser.open(`${http}/app/unlock`)
        const { text } = yield* browser.submit({ email }, { headers: from(address) })
        return /role="alert">([^<]*)</.exec(text)?.[1]
      })
      for (let n = 0; n < 20; n++) yield* unlock(`nobody-${n}@example.com`, "203.0.113.20")
      const crowded = "Your network requested too many links. Try again in 60 minutes."
      assert.strictEqual(yield* problem("203.0.113.20"), crowded)
      for (let n = 0; n < 5; n++) assert.isUndefined(yield* problem("203.0.113.21"))
      const mailed = "Look for our mail: a link works for two hours. Try again in 60 minutes."
      assert.include(yield* problem("203.0.113.21"), mailed)
      assert.strictEqual(yield* problem("203.0.113.20"), crowded)
    })
  )

  it.effect("covers ten browsers of an account for 180 days, and none after a password change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { browser, email, id, token } = yield* newOwner
      const known = Effect.map(sql`SELECT FROM known_browser WHERE user_id = ${id}`, (rows) => rows.length)
      yield* signIn(browser, email, "192.0.2.1")
      assert.strictEqual(yield* known, 1)
      for (let n = 0; n < 12; n++) {
        yield* TestClock.adjust("15 minutes")
        yield* signIn(yield* Browser.forServer(http), email, "192.0.2.1")
      }
      assert.strictEqual(yield* known, 10)
      const body = { current_password: password, new_password: "a better password" }
      const { body: session } = yield* request("POST", "/v1/auth/login", { body: { email, password } })
      assert.notStrictEqual(token, session.access_token)
      const changed = yield* request("POST", "/v1/auth/password", { user: session.access_token, body })
      assert.deepStrictEqual([changed.status, yield* known], [204, 0])

      const another = yield* newOwner
      yield* TestClock.adjust("180 days")
      yield* attack(another.email)
      assert.strictEqual(yield* signIn(another.browser, another.email, "203.0.113.1"), 429)
    })
  )
})
