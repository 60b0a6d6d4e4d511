import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { handleOf } from "../../src/accounts/passkeys/PasskeyOptions.ts"
import { cleanup } from "../accounts/sessions/CleanupTesting.ts"
import * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as SoftAuthenticator from "../support/SoftAuthenticator.ts"
import * as TestApp from "../support/TestApp.ts"
import { hostile, placeOf, wordsOf } from "./DeskTesting.ts"
import { authorizeUrl, http, newClient, password } from "./PagesTesting.ts"
import {
  addPasskey,
  atSignIn,
  mailsTo,
  optionsOn,
  passkeysOf,
  signInWith,
  ticketOn,
  withPasskey
} from "./PasskeyTesting.ts"
import { alertOf, guarded, halfSignedIn, waiting } from "./SecurityTesting.ts"

const refused =
  "This passkey does not work here. Sign in in another way, and look at your passkeys on the page “Security”."
const tooLate = "This page was open for more than 5 minutes, or the passkey was used for it already. Please try again."

const { flags } = SoftAuthenticator

layer(TestApp.layer())("A sign-in with a passkey", (it) => {
  it.effect("needs neither email, password nor code, and leads to the next page", () =>
    Effect.gen(function* () {
      const person = yield* guarded
      const { account, user_id } = person
      const authenticator = yield* addPasskey(person)
      const { cookies, open, options, page, submit } = yield* atSignIn("?next=%2Fapp%2Fkeys%3Fa%3Db")
      assertSafe(page, http)
      assert.include(page.text, 'autocomplete="username webauthn"')
      assert.match(page.text, /src="http:\/\/localhost:8080\/app\/assets\/[0-9a-f]{16}\/passkey.js"/)
      assert.deepInclude(options, { rpId: "localhost", userVerification: "required", allowCredentials: [] })
      const next = yield* submit({ credential: authenticator.get(options) })
      assert.deepStrictEqual([placeOf(next), next.redirects[0]?.status], ["keys?a=b", 303])
      assert.isTrue(cookies.has("session"))
      assert.include((yield* open(`${http}/app/account`)).text, account.email)
      assert.isNotNull((yield* passkeysOf(user_id))[0]?.last_used_at)
    })
  )

  it.effect("leads back to the request of an app", () =>
    Effect.gen(function* () {
      const { authenticator } = yield* withPasskey
      const client = yield* newClient()
      const browser = yield* Browser.forServer(http)
      const page = yield* browser.open(authorizeUrl(client))
      const next = yield* browser.submit({ credential: authenticator.get(optionsOn(page)) })
      assert.match(placeOf(next), /^consent\//)
    })
  )

  it.effect("refuses every answer that does not fit, and signs nobody in", () =>
    Effect.gen(function* () {
      const { authenticator, user_id } = yield* withPasskey
      const other = yield* withPasskey
      const stranger = SoftAuthenticator.make()
      const { cookies, options, page, submit } = yield* atSignIn()
      const right = authenticator.get(options)
      const changed = (change: object) => JSON.stringify({ ...JSON.parse(right), ...change })
      for (const [what, credential] of [
        ["another origin", authenticator.get(options, { origin: "https://evil.example" })],
        ["another port", authenticator.get(options, { origin: "http://localhost:8081" })],
        ["another host", authenticator.get(options, { rpId: "evil.example" })],
        [
          "another challenge",
          authenticator.get({ ...options, challenge: optionsOn((yield* atSignIn()).page).challenge })
        ],
        ["a challenge of nobody", authenticator.get({ ...options, challenge: "a".repeat(43) })],
        ["a wrong signature", authenticator.get(options, { spoil: "signature" })],
        ["data that were changed", authenticator.get(options, { spoil: "data" })],
        ["no person", authenticator.get(options, { flags: flags.verified })],
        ["no verification", authenticator.get(options, { flags: flags.present })],
        ["another ceremony", authenticator.get(options, { type: "webauthn.create" })],
        ["the handle of another person", authenticator.get(options, { userHandle: handleOf(other.user_id) })],
        ["no handle", authenticator.get(options, { userHandle: "" })],
        ["the credential of another person", changed({ id: other.authenticator.id, rawId: other.authenticator.id })],
        ["an unknown passkey", stranger.get(options, { userHandle: handleOf(user_id) })],
        [
          "a synced passkey that may not sync",
          authenticator.get(options, { flags: flags.present | flags.verified | flags.backedUp })
        ],
        ["another kind", changed({ type: "password" })],
        ["no answer", changed({ response: undefined })],
        ["no JSON", "x"],
        ["markup", hostile],
        ["NUL", `\u0000${right}`],
        ["a long text", changed({ more: "x".repeat(20_000) })]
      ] as const) {
        const answer = yield* submit({ credential })
        assert.deepStrictEqual([answer.status, alertOf(answer)], [401, refused], what)
        assertSafe(answer, http)
        assert.notInclude(answer.text, "onerror")
        yield* Effect.sync(() => assert.isFalse(cookies.has("session"), what))
      }
      assert.isNull((yield* passkeysOf(user_id))[0]?.last_used_at)
      const last = yield* submit({ credential: right, ticket: ticketOn(page) })
      assert.strictEqual(last.url, `${http}/app`, "the right answer still counts, because none was accepted")
    })
  )

  it.effect("accepts a challenge once, in its browser, for 5 minutes", () =>
    Effect.gen(function* () {
      const { authenticator } = yield* withPasskey
      const { cookies, open, options, page, submit } = yield* atSignIn()
      const ticket = ticketOn(page)
      const credential = authenticator.get(options)
      const elsewhere = yield* atSignIn()
      const foreign = yield* elsewhere.submit({ credential, ticket })
      assert.deepStrictEqual([foreign.status, alertOf(foreign)], [401, tooLate])
      const answers = yield* Effect.all(
        Array.from({ length: 4 }, () => submit({ credential, ticket })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
      cookies.delete("session")
      yield* open(`${http}/app/sign-in`)
      const again = yield* submit({ credential, ticket })
      assert.deepStrictEqual([again.status, alertOf(again)], [401, tooLate], "a replay")

      const late = yield* atSignIn()
      yield* TestClock.adjust("5 minutes")
      const tooOld = yield* late.submit({ credential: authenticator.get(late.options) })
      assert.deepStrictEqual([tooOld.status, alertOf(tooOld)], [401, tooLate])
      assert.strictEqual((yield* late.submit({ credential: authenticator.get(optionsOn(tooOld)) })).url, `${http}/app`)
    })
  )

  it.effect("takes no ticket that was changed, made for something else, or sent twice", () =>
    Effect.gen(function* () {
      const person = yield* withPasskey
      const { authenticator } = person
      yield* person.at("security/passkeys/new")
      const adding = ticketOn(yield* person.browser.submit({ password }))
      const { options, page, submit } = yield* atSignIn()
      const ticket = ticketOn(page)
      const [top = "", claims = "", signature = ""] = ticket.split(".")
      const forged = Buffer.from(
        JSON.stringify({ ...JSON.parse(Buffer.from(claims, "base64url").toString()), exp: 4_000_000_000 })
      ).toString("base64url")
      for (const wrong of [null, "", "x", adding, person.account.token, `${top}.${forged}.${signature}`, hostile]) {
        const answer = yield* submit({ credential: authenticator.get(options), ticket: wrong })
        assert.deepStrictEqual([answer.status, alertOf(answer)], [401, tooLate], wrong ?? "none")
      }
    })
  )

  it.effect("refuses an authenticator that counts backwards, and mails the owner once a day", () =>
    Effect.gen(function* () {
      const { account, authenticator, user_id } = yield* withPasskey
      const counted = (count: number) => signInWith(authenticator, { count })
      assert.strictEqual((yield* counted(7)).url, `${http}/app`)
      assert.strictEqual((yield* counted(9)).url, `${http}/app`)
      yield* mailsTo(account.email)
      for (const count of [9, 8, 0]) {
        const answer = yield* counted(count)
        assert.deepStrictEqual([answer.status, alertOf(answer)], [401, refused], String(count))
      }
      const [stored] = yield* passkeysOf(user_id)
      assert.strictEqual(stored?.sign_count, 9)
      assert.isNotNull(stored?.refused_at)
      const mails = yield* mailsTo(account.email)
      assert.deepStrictEqual(
        mails.map(({ subject }) => subject),
        ["A passkey was refused"]
      )
      assert.include(mails[0]?.text, "“My phone”")
      yield* TestClock.adjust("1 day")
      yield* counted(9)
      assert.lengthOf(yield* mailsTo(account.email), 1)
      const { cookies, open, options, submit } = yield* atSignIn()
      yield* submit({ credential: authenticator.get(options, { count: 10 }) })
      assert.isTrue(cookies.has("session"))
      assert.include(wordsOf(yield* open(`${http}/app/security`)), "There may be a copy. Remove it")
    })
  )

  it.effect("also is the second step, for the same person", () =>
    Effect.gen(function* () {
      const person = yield* guarded
      const { account, user_id } = person
      const plain = yield* halfSignedIn(account)
      assert.notInclude(plain.page.text, "data-passkey", "without a passkey the page does not offer it")
      const authenticator = yield* addPasskey(person)
      const other = yield* withPasskey
      const { cookies, page, submit } = yield* halfSignedIn(account, "?next=%2Fapp%2Fkeys")
      assertSafe(page, http)
      assert.include(page.text, "Use a passkey instead")
      const foreign = yield* submit({ credential: other.authenticator.get(optionsOn(page)) })
      assert.deepStrictEqual([foreign.status, alertOf(foreign)], [401, refused])
      assert.isFalse(cookies.has("session"))
      assert.lengthOf(yield* waiting(user_id), 2)
      const next = yield* submit({ credential: authenticator.get(optionsOn(foreign)) })
      assert.strictEqual(placeOf(next), "keys")
      assert.lengthOf(yield* waiting(user_id), 1)

      const late = yield* halfSignedIn(account)
      yield* TestClock.adjust("4 minutes")
      yield* late.open(late.page.url)
      yield* TestClock.adjust("4 minutes")
      const fresh = yield* late.open(late.page.url)
      yield* TestClock.adjust("3 minutes")
      const ended = yield* late.submit({ credential: authenticator.get(optionsOn(fresh)) })
      assert.deepStrictEqual([ended.status, wordsOf(ended).includes("Sign in again")], [401, true])
    })
  )

  it.effect("does not make the password too little: only an authenticator app does", () =>
    Effect.gen(function* () {
      const { account } = yield* withPasskey
      const browser = yield* Browser.forServer(http)
      yield* browser.open(`${http}/app/sign-in`)
      assert.strictEqual((yield* browser.submit({ email: account.email, password })).url, `${http}/app`)
    })
  )

  it.effect("ends with the passkey, and with the account", () =>
    Effect.gen(function* () {
      for (const ending of ["passkey", "account", "another owner"]) {
        const { at, authenticator, browser, user_id } = yield* withPasskey
        const sql = yield* SqlClient.SqlClient
        if (ending === "passkey") yield* sql`DELETE FROM passkey WHERE user_id = ${user_id}`
        if (ending === "account") {
          yield* at("account/deletion")
          yield* browser.submit({ password })
        }
        if (ending === "another owner") {
          yield* sql`UPDATE user_account SET email_verified = false WHERE id = ${user_id}`
          yield* sql`
            UPDATE user_account SET email_verified = true,
              password_hash = left(password_hash, -1) || CASE WHEN right(password_hash, 1) = 'A' THEN 'B' ELSE 'A' END
            WHERE id = ${user_id}
          `
        }
        assert.strictEqual(alertOf(yield* signInWith(authenticator)), refused, ending)
        assert.isEmpty(yield* passkeysOf(user_id))
      }
    })
  )

  it.effect("keeps answered challenges until they expire", () =>
    Effect.gen(function* () {
      const { authenticator } = yield* withPasskey
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.adjust("10 minutes")
      yield* cleanup
      yield* signInWith(authenticator)
      yield* cleanup
      const kept = sql`SELECT FROM answered_challenge`
      assert.lengthOf(yield* kept, 1)
      yield* TestClock.adjust("5 minutes")
      yield* cleanup
      assert.isEmpty(yield* kept)
    })
  )

  it.effect("rests on what the database guarantees", () =>
    Effect.gen(function* () {
      const { authenticator, user_id } = yield* withPasskey
      yield* signInWith(authenticator, { count: 5 })
      const sql = yield* SqlClient.SqlClient
      for (const change of [
        sql`sign_count = 4`,
        sql`sign_count = 4294967296`,
        sql`public_key = 'AAAA'`,
        sql`credential_id = 'AAAA'`,
        sql`name = ''`
      ])
        assert.strictEqual(
          (yield* Effect.exit(sql`UPDATE passkey SET ${change} WHERE user_id = ${user_id}`))._tag,
          "Failure"
        )
      const again = sql`
        INSERT INTO passkey (id, user_id, name, credential_id, public_key, sign_count, is_synced, created_at)
        SELECT gen_random_uuid(), user_id, name, credential_id, public_key, 0, false, created_at FROM passkey
        WHERE user_id = ${user_id}
      `
      assert.strictEqual((yield* Effect.exit(again))._tag, "Failure", "a credential belongs to one account")
    })
  )

  it.effect("refuses a form without its token", () =>
    Effect.gen(function* () {
      const { authenticator } = yield* withPasskey
      const { options, submit } = yield* atSignIn()
      const page = yield* submit({ credential: authenticator.get(options), form_token: "0".repeat(64) })
      assert.strictEqual(page.status, 403)
    })
  )

  it.effect("speaks German", () =>
    Effect.gen(function* () {
      const browser = yield* Browser.forServer(http)
      const page = yield* browser.open(`${http}/app/sign-in`, { headers: { "accept-language": "de" } })
      assert.include(page.text, "Mit Passkey anmelden")
      assertSafe(page, http)
    })
  )
})
