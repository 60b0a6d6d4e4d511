import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Passkeys } from "../../src/accounts/passkeys/Passkeys.ts"
import type * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as SoftAuthenticator from "../support/SoftAuthenticator.ts"
import * as TestApp from "../support/TestApp.ts"
import { anotherBrowser, escaped, faultsOf, hostile, noticeOf, placeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"
import { beginPasskey, mailsTo, optionsOn, passkeysOf, signInWith, ticketOn, withPasskey } from "./PasskeyTesting.ts"
import { verified } from "./SecurityTesting.ts"

const { flags } = SoftAuthenticator

/** True while a browser is signed in. */
const isSignedIn = (browser: Pick<ReturnType<typeof Browser.make>, "open">) =>
  Effect.map(browser.open(`${http}/app/account`), (page) => placeOf(page) === "account")

layer(TestApp.layer())("Passkeys of an account", (it) => {
  it.effect("are added after the password, with a mail, and sign the other browsers out", () =>
    Effect.gen(function* () {
      const person = yield* verified
      const { account, at, browser, user_id } = person
      const other = yield* anotherBrowser(account)
      yield* mailsTo(account.email)
      const { options, page } = yield* beginPasskey(person)
      assertSafe(page, http)
      assert.deepInclude(options, {
        rp: { id: "localhost", name: "Proxy Rental Service" },
        attestation: "none",
        excludeCredentials: [],
        authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" }
      })
      assert.strictEqual(options.user.name, account.email)
      assert.isEmpty(yield* passkeysOf(user_id), "the password alone adds none")
      assert.isTrue(yield* isSignedIn(other))

      yield* at("security/passkeys/new")
      const again = yield* browser.submit({ password })
      const authenticator = SoftAuthenticator.make()
      const state = flags.present | flags.verified | flags.eligible | flags.backedUp
      const credential = authenticator.create(optionsOn(again), { flags: state, count: 3 })
      const done = yield* browser.submit({ name: "  My phone ", credential })
      assert.deepStrictEqual(
        [placeOf(done), noticeOf(done)],
        ["security?outcome=passkey-added", "The passkey was added. It works at the next sign-in."]
      )
      assertSafe(done, http)
      assert.include(wordsOf(done), "on several devices, or in a backup")
      const [stored, ...more] = yield* passkeysOf(user_id)
      assert.isEmpty(more)
      assert.deepInclude(stored, { name: "My phone", credential_id: authenticator.id, sign_count: 3, is_synced: true })
      assert.isTrue(yield* isSignedIn(browser))
      assert.isFalse(yield* isSignedIn(other))
      const mails = yield* mailsTo(account.email)
      assert.deepStrictEqual(
        mails.map(({ subject }) => subject),
        ["A passkey was added"]
      )
      assert.include(mails[0]?.text, "“My phone”")
    })
  )

  it.effect("have the name of the browser at first", () =>
    Effect.gen(function* () {
      const { at, browser } = yield* verified
      yield* at("security/passkeys/new")
      const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" }
      const page = yield* browser.submit({ password }, { headers })
      assert.strictEqual(page.forms.find(({ names }) => names.has("ticket"))?.values["name"], "Firefox, Linux")
    })
  )

  it.effect("need an email that is verified, and the password", () =>
    Effect.gen(function* () {
      const unverified = yield* signedIn
      const card = yield* unverified.at("security")
      assert.include(wordsOf(card), "Verify your email first")
      assert.notInclude(card.text, "/passkeys/new")
      const refused = yield* unverified.post("security/passkeys/new", { password })
      assert.deepStrictEqual([refused.status, Object.keys(faultsOf(refused))], [403, [""]])
      const { at, browser } = yield* verified
      for (const [typed, status] of [
        ["", 422],
        ["not the password", 403]
      ] as const) {
        yield* at("security/passkeys/new")
        const page = yield* browser.submit({ password: typed })
        assert.deepStrictEqual([page.status, Object.keys(faultsOf(page))], [status, ["password"]])
        assert.notInclude(page.text, "data-passkey")
        assertSafe(page, http)
      }
    })
  )

  it.effect("are refused when the answer does not fit", () =>
    Effect.gen(function* () {
      const person = yield* verified
      const other = yield* withPasskey
      const { post, user_id } = person
      const { options, ticket } = yield* beginPasskey(person)
      const answer = (changes: SoftAuthenticator.Changes) => SoftAuthenticator.make().create(options, changes)
      const right = answer({})
      const long = JSON.stringify({ ...JSON.parse(right), more: "x".repeat(20_000) })
      for (const [what, credential] of [
        ["another origin", answer({ origin: "https://evil.example" })],
        ["another host", answer({ rpId: "evil.example" })],
        ["another challenge", answer({ challenge: "a".repeat(43) })],
        ["no person", answer({ flags: flags.verified })],
        ["no verification", answer({ flags: flags.present })],
        ["another ceremony", answer({ type: "webauthn.get" })],
        ["an answer of a sign-in", other.authenticator.get({ ...options, rpId: "localhost" })],
        ["no JSON", hostile],
        ["NUL", `\u0000${right}`],
        ["a long text", long]
      ] as const) {
        const page = yield* post("security/passkeys", { name: "x", ticket, credential })
        assert.deepStrictEqual(
          [page.status, faultsOf(page)],
          [422, { "": "Your browser made no passkey that we accept. Try again, or use another device." }],
          what
        )
        assertSafe(page, http)
      }
      const known = other.authenticator.create(options)
      const taken = yield* post("security/passkeys", { name: "x", ticket, credential: known })
      assert.deepStrictEqual([taken.status, faultsOf(taken)[""]], [409, "This passkey was added already."])
      for (const [name, status] of [
        ["", 422],
        ["x".repeat(61), 422],
        ["x\u0000", 422]
      ] as const)
        assert.strictEqual((yield* post("security/passkeys", { name, ticket, credential: right })).status, status)
      assert.isEmpty(yield* passkeysOf(user_id))
      assert.isTrue(yield* isSignedIn(person.browser), "nothing ends a session")
      const done = yield* post("security/passkeys", { name: hostile.slice(0, 60), ticket, credential: right })
      assert.strictEqual(placeOf(done), "security?outcome=passkey-added")
      assertSafe(done, http)
      assert.include(done.text, escaped.slice(0, 40))
      const replayed = SoftAuthenticator.make().create(options)
      const again = yield* post("security/passkeys", { name: "x", ticket, credential: replayed })
      assert.deepStrictEqual([again.status, /sent twice/.test(faultsOf(again)[""] ?? "")], [401, true])
      assert.lengthOf(yield* passkeysOf(user_id), 1)
    })
  )

  it.effect("belong to the session that gave the password, for 5 minutes", () =>
    Effect.gen(function* () {
      const person = yield* verified
      const { account, post, user_id } = person
      const { options, ticket } = yield* beginPasskey(person)
      const credential = SoftAuthenticator.make().create(options)
      const other = yield* anotherBrowser(account)
      yield* other.open(`${http}/app/security/passkeys/new`)
      const theirs = yield* other.submit({ password })
      const foreign = yield* other.submit({ name: "x", credential, ticket })
      assert.strictEqual(foreign.status, 401)
      assert.isNotEmpty(ticketOn(theirs))
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* post("security/passkeys", { name: "x", credential, ticket })).status, 401)
      assert.isEmpty(yield* passkeysOf(user_id))
    })
  )

  it.effect("are added without the statement of an authenticator's maker, which may name addresses to request", () =>
    Effect.gen(function* () {
      const person = yield* verified
      const { options } = yield* beginPasskey(person)
      const statement = [
        "packed",
        new Map<string, Uint8Array | number>([
          ["alg", -7],
          ["sig", Buffer.alloc(70, 1)]
        ])
      ] as const
      const credential = SoftAuthenticator.make().create(options, { statement })
      const page = yield* person.browser.submit({ name: "Key", credential })
      assert.strictEqual(placeOf(page), "security?outcome=passkey-added", "the statement of the maker does not matter")
    })
  )

  it.effect("get other names", () =>
    Effect.gen(function* () {
      const { at, authenticator, browser, user_id } = yield* withPasskey
      const [{ id } = { id: "" }] = yield* passkeysOf(user_id)
      const page = yield* at(`security/passkeys/${id}`)
      assertSafe(page, http)
      for (const name of ["", "x".repeat(61)]) {
        const wrong = yield* browser.submit({ name })
        assert.deepStrictEqual([wrong.status, Object.keys(faultsOf(wrong))], [422, ["name"]])
      }
      const done = yield* browser.submit({ name: hostile.slice(0, 60) })
      assert.deepStrictEqual(
        [placeOf(done), noticeOf(done)],
        ["security?outcome=passkey-renamed", "The passkey has another name."]
      )
      assert.include((yield* at(`security/passkeys/${id}`)).text, escaped.slice(0, 40))
      assertSafe(yield* at(`security/passkeys/${id}/remove`), http)
      assert.strictEqual((yield* signInWith(authenticator)).url, `${http}/app`)
    })
  )

  it.effect("are removed after the password, with a mail, and sign the other browsers out", () =>
    Effect.gen(function* () {
      const { account, at, authenticator, browser, user_id } = yield* withPasskey
      const other = yield* anotherBrowser(account)
      yield* mailsTo(account.email)
      const [{ id } = { id: "" }] = yield* passkeysOf(user_id)
      yield* at(`security/passkeys/${id}/remove`)
      const wrong = yield* browser.submit({ password: "not the password" })
      assert.deepStrictEqual([wrong.status, Object.keys(faultsOf(wrong))], [403, ["password"]])
      assert.lengthOf(yield* passkeysOf(user_id), 1)
      const done = yield* browser.submit({ password })
      assert.deepStrictEqual(
        [placeOf(done), noticeOf(done)],
        ["security?outcome=passkey-removed", "The passkey was removed."]
      )
      assert.isEmpty(yield* passkeysOf(user_id))
      assert.isFalse(yield* isSignedIn(other))
      assert.isTrue(yield* isSignedIn(browser))
      const mails = yield* mailsTo(account.email)
      assert.deepStrictEqual(
        mails.map(({ subject }) => subject),
        ["A passkey was removed"]
      )
      assert.strictEqual((yield* signInWith(authenticator)).status, 401)
      assert.strictEqual((yield* at(`security/passkeys/${id}`)).status, 404)
    })
  )

  it.effect("are shown and changed by their owner only", () =>
    Effect.gen(function* () {
      const { user_id } = yield* withPasskey
      const stranger = yield* verified
      const [{ id } = { id: "" }] = yield* passkeysOf(user_id)
      for (const foreign of [String(id), crypto.randomUUID(), "x", encodeURIComponent(hostile)]) {
        for (const path of [`security/passkeys/${foreign}`, `security/passkeys/${foreign}/remove`])
          assert.strictEqual((yield* stranger.at(path)).status, 404, path)
        if (foreign.length !== 36) continue
        assert.strictEqual((yield* stranger.post(`security/passkeys/${foreign}`, { name: "x" })).status, 404)
        assert.strictEqual((yield* stranger.post(`security/passkeys/${foreign}/remove`, { password })).status, 404)
      }
      const [kept] = yield* passkeysOf(user_id)
      assert.strictEqual(kept?.["name"], "My phone")
    })
  )

  it.effect("are not added by a session that has ended meanwhile", () =>
    Effect.gen(function* () {
      const person = yield* verified
      const { user_id } = person
      const { options, ticket } = yield* beginPasskey(person)
      const credential = SoftAuthenticator.make().create(options)
      const sql = yield* SqlClient.SqlClient
      const passkeys = yield* Passkeys
      const adding = Effect.forEach(
        yield* sql<{ readonly id: string }>`SELECT id FROM user_session WHERE user_id = ${user_id}`,
        ({ id }) => Effect.result(passkeys.add({ user_id, session_id: id }, { name: "x", ticket, credential }))
      )
      yield* sql`DELETE FROM user_session WHERE user_id = ${user_id}`
      for (const result of yield* adding)
        assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "", "PasskeyTooLate")
      assert.isEmpty(yield* passkeysOf(user_id))
    })
  )

  it.effect("keep no part of an answer on the page of an ended session", () =>
    Effect.gen(function* () {
      const person = yield* verified
      const { options } = yield* beginPasskey(person)
      const credential = SoftAuthenticator.make().create(options)
      person.browser.cookies.delete("session")
      const page = yield* person.browser.submit({ name: "My phone", credential })
      assert.strictEqual(page.status, 401)
      assert.include(page.text, "My phone")
      assert.notInclude(page.text, "attestationObject")
      assert.notInclude(page.text, "eyJ", "no ticket")
    })
  )

  it.effect("speak German", () =>
    Effect.gen(function* () {
      const { browser, user_id } = yield* withPasskey
      const [{ id } = { id: "" }] = yield* passkeysOf(user_id)
      for (const path of [
        "security",
        "security/passkeys/new",
        `security/passkeys/${id}`,
        `security/passkeys/${id}/remove`
      ]) {
        const page = yield* browser.open(`${http}/app/${path}`, { headers: { "accept-language": "de" } })
        assert.include(page.text, '<html lang="de"')
        assertSafe(page, http)
        assert.notMatch(wordsOf(page), /passkey (is|was|signs|needs)|Remove|Change/)
      }
    })
  )
})
