import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as SoftAuthenticator from "../support/SoftAuthenticator.ts"
import * as TestApp from "../support/TestApp.ts"
import { faultsOf, placeOf, wordsOf } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"
import { addPasskey, atSignIn, beginPasskey, passkeysOf, signInWith, withPasskey } from "./PasskeyTesting.ts"
import { alertOf, verified } from "./SecurityTesting.ts"

layer(TestApp.layer({ AUTH_RATE_LIMIT_FACTOR: "1" }))("The limit of passkeys", (it) => {
  it.effect("is 60 refused ones from an address in 15 minutes; accepted ones do not count", () =>
    Effect.gen(function* () {
      const { authenticator } = yield* withPasskey
      for (let n = 0; n < 65; n++) assert.strictEqual((yield* signInWith(authenticator)).url, `${http}/app`)
      const wrong = yield* atSignIn()
      for (let n = 0; n < 60; n++) assert.strictEqual((yield* wrong.submit({ credential: "x" })).status, 401)
      const { options, page, submit } = yield* atSignIn()
      const limited = yield* submit({ credential: authenticator.get(options) })
      assert.deepStrictEqual([limited.status, /minutes/.test(alertOf(limited) ?? "")], [429, true])
      assertSafe(page, http)
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* signInWith(authenticator)).url, `${http}/app`)
    })
  )
})

layer(TestApp.layer({ PUBLIC_URL: "http://192.0.2.7:8080" }))("An address without passkeys", (it) => {
  it.effect("offers none, and says why", () =>
    Effect.gen(function* () {
      const plain = "http://192.0.2.7:8080"
      const browser = yield* Browser.forServer(plain)
      const page = yield* browser.open(`${plain}/app/sign-in`)
      assert.notInclude(page.text, "passkey")
      assert.include(page.text, 'autocomplete="username"')
      const sent = yield* browser.post(`${plain}/app/sign-in`, {
        credential: "{}",
        form_token: page.forms[0]?.values["form_token"] ?? ""
      })
      assert.strictEqual(sent.status, 401)
      const { account } = yield* verified
      yield* browser.open(`${plain}/app/sign-in`)
      yield* browser.submit({ email: account.email, password })
      const security = yield* browser.open(`${plain}/app/security`)
      assert.include(wordsOf(security), "Browsers offer passkeys only for addresses that begin with https.")
      assert.strictEqual((yield* browser.open(`${plain}/app/security/passkeys/new`)).url, `${plain}/app/security`)
    })
  )
})

layer(TestApp.layer({ AUTH_RATE_LIMIT_FACTOR: "1" }))("The limits of passkeys in the dashboard", (it) => {
  it.effect("leave room for 10 passkeys, and refuse the password after 10 wrong ones", () =>
    Effect.gen(function* () {
      const person = yield* verified
      const { at, browser, user_id } = person
      for (let n = 1; n <= 10; n++) yield* addPasskey(person, `Key ${n}`)
      for (const { id } of yield* passkeysOf(user_id)) {
        yield* at(`security/passkeys/${id}/remove`)
        assert.strictEqual(placeOf(yield* browser.submit({ password })), "security?outcome=passkey-removed")
      }
      yield* at("security/passkeys/new")
      for (let n = 1; n <= 10; n++)
        assert.strictEqual((yield* browser.submit({ password: "not the password" })).status, 403)
      assert.strictEqual((yield* browser.submit({ password })).status, 429)
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* browser.submit({ password })).status, 200)
    })
  )

  it.effect("are at most 10, and the browser learns which there are", () =>
    Effect.gen(function* () {
      const person = yield* verified
      const { at, browser, post, user_id } = person
      const ids: Array<string> = []
      for (let n = 1; n <= 9; n++) ids.push((yield* addPasskey(person, `Key ${n}`)).id)
      const { options, ticket } = yield* beginPasskey(person)
      assert.deepStrictEqual(
        options.excludeCredentials.map(({ id }: { id: string }) => id),
        ids
      )
      const waiting = SoftAuthenticator.make().create(options)
      yield* addPasskey(person, "Key 10")
      const late = yield* post("security/passkeys", { name: "Key 11", ticket, credential: waiting })
      assert.deepStrictEqual(
        [late.status, faultsOf(late)[""]],
        [409, "You have 10 passkeys already. Remove one first."]
      )
      yield* at("security/passkeys/new")
      const page = yield* browser.submit({ password })
      assert.deepStrictEqual(
        [page.status, faultsOf(page)[""]],
        [409, "You have 10 passkeys already. Remove one first."]
      )
      assert.lengthOf(yield* passkeysOf(user_id), 10)
    })
  )
})
