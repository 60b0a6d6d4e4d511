import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { anotherBrowser, escaped, hostile, noticeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { http } from "./PagesTesting.ts"

const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"

const path = "account/sessions"

/** A person who is signed in in one browser only: the registration began another session. */
const alone = Effect.gen(function* () {
  const person = yield* signedIn
  yield* request("POST", "/v1/auth/logout", { user: person.account.token })
  yield* person.at(path)
  return person
})

const endings = ({ forms }: Browser.Page) =>
  forms.flatMap(({ action }) => /sessions\/([\w-]+)\/end$/.exec(action)?.[1] ?? [])

const isSignedIn = (browser: Pick<Browser.Page, never> & { open: ReturnType<typeof Browser.make>["open"] }) =>
  Effect.map(browser.open(`${http}/app/account`), ({ url }) => url === `${http}/app/account`)

layer(TestApp.layer())("The page of the sessions", (it) => {
  it.effect("shows where the person is signed in, and ends one session", () =>
    Effect.gen(function* () {
      const { account, at, browser } = yield* alone
      const only = yield* at(path)
      assert.include(wordsOf(only), "This browser")
      assert.notInclude(only.text, "Sign out all other devices")
      assert.isEmpty(endings(only))
      const other = yield* anotherBrowser(account, { "user-agent": chrome })
      const page = yield* at(path)
      assertSafe(page, http)
      for (const said of ["Chrome on Linux", "127.0.0.1", "This browser"]) assert.include(wordsOf(page), said)
      assert.lengthOf(endings(page), 1)
      const ended = yield* browser.submit({}, { action: "/end" })
      assert.deepStrictEqual(
        [ended.url, noticeOf(ended)],
        [`${http}/app/${path}?outcome=ended`, "The device is signed out."]
      )
      assert.deepStrictEqual([yield* isSignedIn(browser), yield* isSignedIn(other)], [true, false])
    })
  )

  it.effect("shows the last use of a browser, to 5 minutes", () =>
    Effect.gen(function* () {
      const { account, at } = yield* alone
      const other = yield* anotherBrowser(account, { "user-agent": chrome })
      yield* TestClock.adjust("2 hours")
      assert.include(wordsOf(yield* at(path)), "2 hours ago")
      yield* other.open(`${http}/app/account`, { headers: { "user-agent": "curl/8.14.1" } })
      const page = wordsOf(yield* at(path))
      assert.include(page, "curl")
      assert.notInclude(page, "2 hours ago")
    })
  )

  it.effect("ends all other sessions, also those of programs", () =>
    Effect.gen(function* () {
      const person = yield* signedIn
      const other = yield* anotherBrowser(person.account)
      const stranger = yield* signedIn
      yield* person.at(path)
      const done = yield* person.browser.submit({}, { action: "/end-others" })
      assert.strictEqual(noticeOf(done), "All other devices are signed out.")
      assert.notInclude(done.text, "Sign out all other devices")
      const token = yield* request("GET", "/v1/users/me", { user: person.account.token })
      assert.deepStrictEqual(
        [yield* isSignedIn(person.browser), yield* isSignedIn(other), yield* isSignedIn(stranger.browser)],
        [true, false, true]
      )
      assert.strictEqual(token.status, 401)
    })
  )

  it.effect("ends every session, also its own", () =>
    Effect.gen(function* () {
      const person = yield* signedIn
      const other = yield* anotherBrowser(person.account)
      const stranger = yield* signedIn
      yield* person.at(path)
      const done = yield* person.browser.submit({}, { action: "/end-all" })
      assert.include(done.url, "/app/sign-in")
      assert.deepStrictEqual(
        [yield* isSignedIn(person.browser), yield* isSignedIn(other), yield* isSignedIn(stranger.browser)],
        [false, false, true]
      )
    })
  )

  it.effect("does not find the session of another person, or one that does not exist", () =>
    Effect.gen(function* () {
      const owner = yield* alone
      const sql = yield* SqlClient.SqlClient
      const [session] = yield* sql<{ id: string }>`SELECT id FROM user_session WHERE user_id = ${owner.user_id}`
      const other = yield* alone
      for (const id of [session?.id ?? "", randomUUID(), "x", "%00", "1".repeat(2_000)]) {
        const page = yield* other.post(`${path}/${id}/end`)
        assert.strictEqual(page.status, 404, id)
        assertSafe(page, http)
      }
      assert.isTrue(yield* isSignedIn(owner.browser))
      // The own session can be ended too; the next page is the sign-in.
      const mine = (yield* request("GET", "/v1/auth/sessions", { user: owner.account.token })).status
      assert.strictEqual(mine, 401)
      assert.include((yield* owner.post(`${path}/${session?.id}/end`)).url, "/app/sign-in")
    })
  )

  it.effect("refuses a form without its token or with the token of another form, and ends nothing", () =>
    Effect.gen(function* () {
      const { account, at, browser } = yield* alone
      const other = yield* anotherBrowser(account)
      for (const form_token of [null, "0".repeat(64)])
        for (const action of ["/end", "/end-others", "/end-all"]) {
          const page = yield* at(path)
          const foreign = page.forms.find((form) => form.action.endsWith("/sign-out"))?.values["form_token"] ?? ""
          for (const token of [form_token, foreign]) {
            yield* at(path)
            assert.strictEqual((yield* browser.submit({ form_token: token }, { action })).status, 403)
          }
        }
      const [id = ""] = endings(yield* at(path))
      const large = yield* browser.submit({ form_token: "0".repeat(100_000) }, { action: `/${id}/end` })
      assert.strictEqual(large.status, 413)
      assert.isTrue(yield* isSignedIn(other))
    })
  )

  it.effect("shows a hostile User-Agent as text", () =>
    Effect.gen(function* () {
      const { account, at } = yield* alone
      yield* anotherBrowser(account, { "user-agent": hostile.slice(0, 60) })
      const page = yield* at(path)
      assertSafe(page, http)
      assert.include(page.text, escaped.slice(0, 60))
      yield* anotherBrowser(account, { "user-agent": "x".repeat(9_000) })
      assert.include((yield* at(path)).text, `<bdi>${"x".repeat(60)}</bdi>`)
    })
  )

  it.effect("shows 25 sessions at a time", () =>
    Effect.gen(function* () {
      const { at, user_id } = yield* alone
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO user_session (id, user_id, created_at, expires_at)
        SELECT gen_random_uuid(), user_id, created_at - n * interval '1 minute', expires_at
        FROM user_session, generate_series(1, 26) n WHERE user_id = ${user_id}`
      assert.include((yield* at(path)).text, "1 to 25 of 27")
      assert.lengthOf(endings(yield* at(`${path}?offset=25`)), 2)
      assert.strictEqual((yield* at(`${path}?offset=50`)).url, `${http}/app/${path}`)
      for (const offset of ["-1", "x", "1e9", "99999999999999999999"])
        assert.strictEqual((yield* at(`${path}?offset=${offset}`)).status, 200)
    })
  )
})
