import { assert, layer } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import { EmailTokensRepo } from "../../src/accounts/EmailTokensRepo.ts"
import * as EmailDelivery from "../../src/accounts/mail/EmailDelivery.ts"
import { EmailOutboxRepo } from "../../src/accounts/mail/EmailOutboxRepo.ts"
import { SentMail } from "../../src/platform/mail/Mailer.ts"
import { http, newAccount, password } from "../dashboard/PagesTesting.ts"
import * as Browser from "../support/Browser.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

const better = "a better password"

/** The link in the last mail of this kind to an address. */
const linkTo = Effect.fnUntraced(function* (address: string, page: string) {
  yield* EmailDelivery.run.pipe(Effect.provide([CredentialsRepo.layer, EmailOutboxRepo.layer, EmailTokensRepo.layer]))
  const sent = yield* Ref.get(yield* SentMail)
  const links = sent.flatMap(({ text, to }) =>
    to === address ? (new RegExp(`^ {2}(${http}/app/${page}\\?token=[\\w-]{43})$`, "m").exec(text)?.[1] ?? []) : []
  )
  return links.at(-1) ?? assert.fail(`no mail to ${address} has a link to ${page}`)
})

const login = (email: string, secret: string) =>
  Effect.map(request("POST", "/v1/auth/login", { body: { email, password: secret } }), ({ status }) => status)

const browserAt = Effect.fnUntraced(function* (path: string) {
  const browser = yield* Browser.forServer(http)
  return { browser, page: yield* browser.open(`${http}${path}`) }
})

/** A browser in which the owner of an account is signed in. */
const signedIn = Effect.gen(function* () {
  const account = yield* newAccount
  const { browser } = yield* browserAt("/app/sign-in")
  yield* browser.submit({ email: account.email, password })
  return { account, browser }
})

const alertOf = ({ text }: Browser.Page) => /role="alert">([^<]*)</.exec(text)?.[1]
const noticeOf = ({ text }: Browser.Page) => /role="status">([^<]*)</.exec(text)?.[1]

/** The email on the page of a signed-in person, and its state. */
const stateOf = (browser: ReturnType<typeof Browser.make>) =>
  Effect.map(browser.open(`${http}/app/email`), ({ text }) => {
    const [, email, state] = /<bdi>([^<]*)<\/bdi> <span class="mark \w+">([^<]*)</.exec(text) ?? []
    return [email, state]
  })

layer(TestApp.layer({ AUTH_RATE_LIMIT_FACTOR: "1" }))("A person without the password", (it) => {
  it.effect("chooses a new one by a link that works once within an hour", () =>
    Effect.gen(function* () {
      const { account, browser: old } = yield* signedIn
      const { browser, page } = yield* browserAt("/app/sign-in")
      const [, forgot = ""] = /href="([^"]*)">Forgot your password/.exec(page.text) ?? []
      yield* browser.open(`${http}${forgot}`)
      assert.strictEqual((yield* browser.submit({ email: "ada" })).status, 422)
      assert.include((yield* browser.submit({ email: account.email })).text, "Look for our mail")
      const link = yield* linkTo(account.email, "reset-password")

      yield* browser.open(link)
      for (const [wrong, status] of [
        [{ password: "short" }, 422],
        [{ password: "" }, 422],
        [{ password: better, form_token: "0".repeat(64) }, 403]
      ] as const)
        assert.strictEqual((yield* browser.submit(wrong)).status, status)
      const changed = yield* browser.submit({ password: better })
      assert.deepStrictEqual([changed.status, changed.text.includes("Your password is changed")], [200, true])
      assert.deepStrictEqual([yield* login(account.email, password), yield* login(account.email, better)], [401, 200])
      assert.strictEqual(new URL((yield* old.open(`${http}/app/connections`)).url).pathname, "/app/sign-in")

      yield* browser.open(link)
      const again = yield* browser.submit({ password: "yet another one" })
      assert.deepStrictEqual([again.status, again.text.includes(`href="${forgot}"`)], [400, true])
      assert.strictEqual(yield* login(account.email, better), 200)
    })
  )

  it.effect(
    "gets no more than 5 links an hour, and none after an hour; the page says nothing about other accounts",
    () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        const { email } = yield* newAccount
        const { browser } = yield* browserAt("/app/forgot-password")
        const unknown = yield* browser.submit({ email: `${randomUUID()}@example.com` })
        for (let n = 0; n < 5; n++) {
          yield* browser.open(`${http}/app/forgot-password`)
          assert.strictEqual((yield* browser.submit({ email })).text, unknown.text)
        }
        yield* browser.open(`${http}/app/forgot-password`)
        const refused = yield* browser.submit({ email })
        assert.strictEqual(refused.status, 429)
        assert.include(alertOf(refused), "a link works for one hour")
        const link = yield* linkTo(email, "reset-password")
        yield* TestClock.adjust("1 hour")
        yield* browser.open(link)
        assert.strictEqual((yield* browser.submit({ password: better })).status, 400)
      })
  )
})

layer(TestApp.layer({ AUTH_RATE_LIMIT_FACTOR: "1" }))("A person with a new email", (it) => {
  it.effect("verifies it by a link, which changes nothing until the person presses the button", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* signedIn
      assert.deepStrictEqual(yield* stateOf(browser), [account.email, "Not verified"])
      assert.include((yield* browser.open(`${http}/app`)).text, "Verify your email")
      const link = yield* linkTo(account.email, "verify-email")
      const other = yield* Browser.forServer(http)
      yield* other.open(link)
      assert.deepStrictEqual(yield* stateOf(browser), [account.email, "Not verified"])
      assert.strictEqual((yield* other.submit({ form_token: null })).status, 403)
      assert.include((yield* other.submit({})).text, "Your email is verified")
      assert.deepStrictEqual(yield* stateOf(browser), [account.email, "Verified"])
      assert.notInclude((yield* browser.open(`${http}/app`)).text, "Verify your email")
      yield* other.open(link)
      assert.strictEqual((yield* other.submit({})).status, 400)
    })
  )

  it.effect("gets the link again, at most 5 times an hour", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const { account, browser } = yield* signedIn
      const resend = Effect.gen(function* () {
        yield* browser.open(`${http}/app/email`)
        return yield* browser.submit({}, { action: "/resend" })
      })
      for (let n = 0; n < 5; n++) assert.strictEqual(noticeOf(yield* resend), "We mailed the link again.")
      assert.strictEqual((yield* resend).status, 429)
      const other = yield* Browser.forServer(http)
      yield* other.open(yield* linkTo(account.email, "verify-email"))
      yield* other.submit({})
      yield* TestClock.adjust("1 hour")
      assert.notInclude((yield* browser.open(`${http}/app/email`)).text, "Mail me the link again")
    })
  )

  it.effect("changes it with the password, and verifies the new one", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const { account, browser } = yield* signedIn
      yield* browser.open(yield* linkTo(account.email, "verify-email"))
      yield* browser.submit({})
      yield* browser.open(`${http}/app/email`)
      const email = `${randomUUID()}@example.com`
      const change = (fields: Readonly<Record<string, string | null>>) => browser.submit(fields, { action: "/email" })
      for (const [wrong, status] of [
        [{ email: "ada", password }, 422],
        [{ email: account.email, password }, 422],
        [{ email, password: "" }, 422],
        [{ email, password: "wrong horse" }, 403],
        [{ email: (yield* newAccount).email, password }, 409],
        [{ email, password, form_token: null }, 403]
      ] as const) {
        const page = yield* change(wrong)
        assert.strictEqual(page.status, status, JSON.stringify(wrong))
        assert.notInclude(page.text, "wrong horse")
      }
      assert.deepStrictEqual(yield* stateOf(browser), [account.email, "Verified"])
      assert.include(noticeOf(yield* change({ email, password })), "We mailed a link to the new address")
      assert.deepStrictEqual(yield* stateOf(browser), [email, "Not verified"])
      yield* browser.open(yield* linkTo(email, "verify-email"))
      yield* browser.submit({})
      assert.deepStrictEqual(yield* stateOf(browser), [email, "Verified"])
    })
  )

  it.effect("is asked to sign in first", () =>
    Effect.gen(function* () {
      const { page } = yield* browserAt("/app/email")
      assert.strictEqual(new URL(page.url).pathname, "/app/sign-in")
    })
  )
})
