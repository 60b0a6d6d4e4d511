import { assert, layer } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import { EmailTokensRepo } from "../../src/accounts/EmailTokensRepo.ts"
import * as EmailDelivery from "../../src/accounts/mail/EmailDelivery.ts"
import { EmailOutboxRepo } from "../../src/accounts/mail/EmailOutboxRepo.ts"
import { UserId } from "../../src/accounts/User.ts"
import { say } from "../../src/brand/LocalText.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { SentMail } from "../../src/platform/mail/Mailer.ts"
import { http, password } from "../dashboard/PagesTesting.ts"
import * as Browser from "../support/Browser.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

const german = { "accept-language": "fr, de-CH;q=0.9, en;q=0.8" }

const newEmail = () => `${randomUUID()}@example.com`

/** Delivers the queue, several mails at once; answers the mails to an address. */
const mailsTo = Effect.fnUntraced(function* (address: string) {
  yield* EmailDelivery.run.pipe(Effect.provide([CredentialsRepo.layer, EmailOutboxRepo.layer, EmailTokensRepo.layer]))
  return (yield* Ref.get(yield* SentMail)).filter(({ to }) => to === address)
})

const subjectsTo = (address: string) => Effect.map(mailsTo(address), (mails) => mails.map(({ subject }) => subject))

/** A person who registered in a browser that prefers German. */
const germanPerson = Effect.gen(function* () {
  const email = newEmail()
  const browser = yield* Browser.forServer(http)
  yield* browser.open(`${http}/app/register`, { headers: german })
  yield* browser.submit({ email, password }, { headers: german })
  return { browser, email }
})

const register = (headers: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const email = newEmail()
    const { body } = yield* request("POST", "/v1/auth/register", { headers, body: { email, password } })
    return { email, token: body.access_token as string, id: UserId.make(body.user.id), user: body.user }
  })

const forgot = (email: string) => request("POST", "/v1/auth/password/forgot", { body: { email } })

const notify = (user_id: UserId) =>
  Notifications.use((notifications) =>
    notifications.add([
      { user_id, kind: "proxy_ended", order_id: null, message: say("notice.given_back", { price: "7" }) }
    ])
  )

layer(TestApp.layer())("A person reads mails in their own language", (it) => {
  it.effect("German after a registration in a German browser, English after a change on a page", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* germanPerson
      const [mail] = yield* mailsTo(email)
      assert.strictEqual(mail?.subject, "Bestätigen Sie Ihre E-Mail-Adresse")
      assert.match(mail?.text ?? "", /^Bitte bestätigen Sie.*\n\n {2}http:\S+\/app\/verify-email\?token=[\w-]{43}\n/)

      const before = yield* browser.open(`${http}/app/account`, { headers: german })
      assert.include(before.text, "E-Mails und Mitteilungen an Sie sind auf Deutsch.")
      const after = yield* browser.open(`${http}/app/language/en?next=%2Fapp%2Faccount`, { headers: german })
      assert.include(after.text, "Mails and notifications to you are in English.")
      yield* forgot(email)
      assert.deepStrictEqual((yield* subjectsTo(email)).slice(1), ["Reset your password"])
    })
  )

  it.effect("as it was when a mail was queued", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* germanPerson
      yield* forgot(email)
      yield* browser.open(`${http}/app/language/en`, { headers: german })
      assert.sameMembers(yield* subjectsTo(email), [
        "Bestätigen Sie Ihre E-Mail-Adresse",
        "Wählen Sie ein neues Passwort"
      ])
    })
  )

  it.effect("not changed by a link of another site", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* germanPerson
      yield* browser.open(`${http}/app/language/en`, { headers: { "sec-fetch-site": "cross-site" } })
      yield* forgot(email)
      assert.include(yield* subjectsTo(email), "Wählen Sie ein neues Passwort")
    })
  )

  it.effect("chosen by a program too, at the registration and later", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { email, id, token, user } = yield* register(german)
      assert.strictEqual(user.language, "de")
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${id}`
      yield* notify(id)
      const { body: shown } = yield* request("GET", "/v1/notifications", { user: token })
      assert.deepStrictEqual(
        shown.notifications.map(({ message }: { message: string }) => message),
        ["7 sind wieder in Ihrem Guthaben."]
      )
      const { body: changed } = yield* request("PATCH", "/v1/users/me", { user: token, body: { language: "en" } })
      assert.strictEqual(changed.language, "en")
      yield* notify(id)
      const { body: me } = yield* request("GET", "/v1/users/me", { user: token })
      assert.strictEqual(me.language, "en")
      const told = (yield* mailsTo(email)).filter(
        ({ subject }) => subject.includes("Proxy") || subject.includes("proxy")
      )
      assert.sameDeepMembers(
        told.map(({ subject, text }) => [subject, text]),
        [
          ["Ihr Proxy wurde vorzeitig beendet", `7 sind wieder in Ihrem Guthaben.\n\nIm Dashboard: ${http}/app/wallet`],
          ["Your proxy has ended before its time", `7 are back in your wallet.\n\nIn the dashboard: ${http}/app/wallet`]
        ]
      )
    })
  )

  it.effect("also as the owner of an agent's account", () =>
    Effect.gen(function* () {
      const { body: agent } = yield* request("POST", "/agent/auth", { body: { type: "anonymous" } })
      const claim = { claim_token: agent.claim_token as string, email: newEmail(), password }
      const claimed = yield* request("POST", "/agent/claim", { headers: german, body: claim })
      assert.strictEqual(claimed.status, 200)
      assert.deepStrictEqual(yield* subjectsTo(claim.email), ["Bestätigen Sie Ihre E-Mail-Adresse"])

      const { body: other } = yield* request("POST", "/agent/auth", { body: { type: "anonymous" } })
      const email = newEmail()
      const browser = yield* Browser.forServer(http)
      yield* browser.open(`${http}/app/language/de?next=%2Fapp%2Fclaim`)
      yield* browser.submit({ claim_token: other.claim_token, email, password })
      assert.deepStrictEqual(yield* subjectsTo(email), ["Bestätigen Sie Ihre E-Mail-Adresse"])
    })
  )

  it.effect("English for every other language, and no other language than those that exist", () =>
    Effect.gen(function* () {
      for (const headers of [{}, { "accept-language": "fr" }, { "accept-language": "x".repeat(5000) }]) {
        const { email, user } = yield* register(headers)
        assert.strictEqual(user.language, "en")
        assert.deepStrictEqual(yield* subjectsTo(email), ["Verify your email"])
      }
      const { token } = yield* register(german)
      const wrong = yield* request("PATCH", "/v1/users/me", { user: token, body: { language: "fr" } })
      assert.strictEqual(wrong.status, 422)
      assert.deepStrictEqual(wrong.body.detail[0].loc, ["body", "language"])
      const { body: me } = yield* request("GET", "/v1/users/me", { user: token })
      assert.strictEqual(me.language, "de")
    })
  )
})
