import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import { whileTimePasses } from "../support/PassingTime.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { escaped, faultsOf, hostile, noticeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { http } from "./PagesTesting.ts"

const atKeys = Effect.tap(signedIn, ({ at }) => at("keys"))

const keysOf = Effect.fnUntraced(function* (user_id: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    SELECT name, scopes, allowed_ips::text[], daily_spend_limit_usd, expires_at IS NULL AS lasts
    FROM api_key WHERE user_id = ${user_id}`
})

/** The key that a page shows. */
const keyOn = ({ text }: Browser.Page) => /<code id="key">([^<]*)</.exec(text)?.[1]

const statusWith = (key: string, path = "/v1/orders") =>
  Effect.map(request("GET", path, { headers: { "x-api-key": key } }), ({ status }) => status)

/** A form with exactly these fields, as a program can send it. */
const fieldOf = ({ text }: Browser.Page, name: string) =>
  new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(text)?.[1]

layer(TestApp.layer())("the page of the API keys", (it) => {
  it.effect("creates a key, shows it once, lists it and revokes it", () =>
    Effect.gen(function* () {
      const { account, at, browser } = yield* atKeys
      assert.include((yield* at("keys")).text, "You have no API key yet")
      const created = yield* browser.submit({
        name: "My crawler",
        expires: "90",
        access: "limited",
        scopes: ["orders:read", "wallet:read"],
        allowed_ips: "127.0.0.0/8\r\n::1",
        daily_spend_limit_usd: "12,50"
      })
      assert.strictEqual(created.status, 200)
      assertSafe(created, http)
      const key = keyOn(created) ?? ""
      for (const [index, program] of ["curl ", "const response = ", "import json"].entries()) {
        const example = new RegExp(
          `<pre id="code-${index}">${program}[^<]*${key}[^<]*</pre>\\s*<button[^>]*data-copy="code-${index}"`
        )
        assert.match(created.text, example)
      }
      for (const href of [`${http}/docs`, `${http}/docs/guides`]) assert.include(created.text, `<a href="${href}">`)
      assert.strictEqual(yield* statusWith(key), 200)
      assert.strictEqual(yield* statusWith(key, "/v1/users/me"), 403)
      assert.deepStrictEqual(yield* keysOf(account.id), [
        {
          name: "My crawler",
          scopes: ["orders:read", "wallet:read"],
          allowed_ips: ["127.0.0.0/8", "::1"],
          daily_spend_limit_usd: 12_500_000n,
          lasts: false
        }
      ])
      const listed = yield* at("keys")
      assert.notInclude(listed.text, key)
      for (const said of ["My crawler", key.slice(0, 8), "127.0.0.0/8", "see your orders"])
        assert.include(listed.text, said)
      assert.notInclude(wordsOf(listed), "spend up to", "the key spends nothing")
      const revoked = yield* browser.submit({}, { action: "/revoke" })
      assert.deepStrictEqual([revoked.status, noticeOf(revoked)], [200, "The key is revoked."])
      assert.strictEqual(yield* statusWith(key), 401)
      assert.isEmpty(yield* keysOf(account.id))
    })
  )

  it.effect("creates a key without limits when full access is chosen", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* atKeys
      const page = yield* browser.submit({ name: "All", expires: "never", access: "full" })
      assert.strictEqual(yield* statusWith(keyOn(page) ?? "", "/v1/catalog"), 200)
      assert.deepStrictEqual(yield* keysOf(account.id), [
        { name: "All", scopes: null, allowed_ips: null, daily_spend_limit_usd: null, lasts: true }
      ])
    })
  )

  it.effect("gives access only by choice, and tells the daily limit of a key that can spend", () =>
    Effect.gen(function* () {
      const { account, at, browser } = yield* atKeys
      const typed = { name: "Typed", expires: "30", daily_spend_limit_usd: "5" }
      for (const [fields, name] of [
        [{}, "access"],
        [{ scopes: "orders:read" }, "access"],
        [{ access: "none" }, "access"],
        [{ access: ["full", "limited"] }, "access"],
        [{ access: "limited" }, "scopes"],
        [{ access: "full", scopes: "orders:read" }, "scopes"]
      ] as const) {
        const page = yield* browser.submit({ ...typed, access: null, scopes: null, ...fields })
        assert.deepStrictEqual([page.status, Object.keys(faultsOf(page))], [422, [name]], JSON.stringify(fields))
      }
      assert.isEmpty(yield* keysOf(account.id))
      for (const fields of [{ access: "full" }, { access: "limited", scopes: "orders:write" }]) {
        yield* at("keys")
        assert.isDefined(keyOn(yield* browser.submit({ ...typed, ...fields })))
      }
      assert.strictEqual(wordsOf(yield* at("keys")).split("spend up to $5.00 a day").length, 3)
    })
  )

  it.effect("creates one key of a form that is sent twice, also at the same time", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* atKeys
      const nonce = browser.page()?.forms.find(({ action }) => action.endsWith("/keys"))?.values["nonce"] ?? ""
      const send = browser.submit({ name: "Once", access: "full", nonce })
      const pages = yield* whileTimePasses(Effect.all([send, send], { concurrency: "unbounded" }))
      assert.lengthOf(
        pages.filter((page) => keyOn(page) !== undefined),
        1
      )
      const later = yield* browser.submit({ name: "Once", access: "full", nonce })
      assert.deepStrictEqual([later.status, keyOn(later)], [200, undefined])
      assert.include(later.text, "was created already, and we showed it once")
      const other = yield* browser.submit({ name: "Another", access: "full", nonce })
      assert.isAtLeast(other.status, 400)
      assert.lengthOf(yield* keysOf(account.id), 1)
    })
  )

  it.effect(
    "refuses a form without its token or with another page's, and keeps what was typed, unless another site sent it",
    () =>
      Effect.gen(function* () {
        const { account, at, browser } = yield* atKeys
        const signOut =
          browser.page()?.forms.find(({ action }) => action.endsWith("/sign-out"))?.values["form_token"] ?? ""
        for (const [fields, headers] of [
          [{ form_token: null }, {}],
          [{ form_token: "0".repeat(64) }, {}],
          [{ form_token: signOut }, {}],
          [{}, { "sec-fetch-site": "cross-site" }],
          [{}, { origin: "https://evil.example" }]
        ] as const) {
          yield* at("keys")
          const page = yield* browser.submit(
            { name: "Typed", access: "limited", scopes: ["orders:read"], ...fields },
            { headers }
          )
          assert.strictEqual(page.status, 403)
          if (Object.keys(headers).length > 0) {
            assert.notInclude(page.text, "Typed")
            continue
          }
          assert.include(faultsOf(page)[""], "Please try again")
          assert.strictEqual(fieldOf(page, "name"), "Typed")
          assert.match(page.text, /value="orders:read"\s+checked/)
        }
        assert.isEmpty(yield* keysOf(account.id))
      })
  )

  it.effect("says what is wrong with each field, and keeps the others", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* atKeys
      const right = {
        name: "Typed",
        expires: "30",
        access: "full",
        allowed_ips: "192.0.2.7",
        daily_spend_limit_usd: "25"
      }
      for (const [wrong, name] of [
        [{ name: "" }, "name"],
        [{ name: null }, "name"],
        [{ name: "n".repeat(101) }, "name"],
        [{ name: ["one", "two"] }, "name"],
        [{ expires: null }, "expires"],
        [{ expires: "31" }, "expires"],
        [{ expires: ["30", "90"] }, "expires"],
        [{ scopes: ["orders:read", "everything"] }, "scopes"],
        [{ allowed_ips: "192.0.2.300" }, "allowed_ips"],
        [{ allowed_ips: Array.from({ length: 2 }, () => "192.0.2.7") }, "allowed_ips"],
        [{ allowed_ips: "192.0.2.7\n".repeat(101) }, "allowed_ips"],
        [{ daily_spend_limit_usd: "-1" }, "daily_spend_limit_usd"],
        [{ daily_spend_limit_usd: "1e3" }, "daily_spend_limit_usd"],
        [{ daily_spend_limit_usd: "1000001" }, "daily_spend_limit_usd"],
        [{ daily_spend_limit_usd: ["1", "2"] }, "daily_spend_limit_usd"],
        [{ nonce: null }, "nonce"],
        [{ nonce: "x" }, "nonce"]
      ] as const) {
        const page = yield* browser.submit({ ...right, ...wrong })
        assert.strictEqual(page.status, 422, JSON.stringify(wrong))
        assert.deepStrictEqual(Object.keys(faultsOf(page)), [name], JSON.stringify(wrong))
        assert.match(page.text, /<title>Error: /)
        if (name !== "nonce")
          assert.match(page.text, new RegExp(`id="${name}"[^>]*aria-describedby="[^"]*${name}-error`))
        if (name !== "name") assert.strictEqual(fieldOf(page, "name"), "Typed")
        if (name !== "allowed_ips") assert.match(page.text, /<textarea[^>]*>\n192\.0\.2\.7<\/textarea>/)
      }
      const all = yield* browser.submit({ name: "", access: "full", allowed_ips: "x", daily_spend_limit_usd: "y" })
      assert.sameMembers(Object.keys(faultsOf(all)), ["name", "allowed_ips", "daily_spend_limit_usd"])
      assert.isEmpty(yield* keysOf(account.id))
    })
  )

  it.effect("shows markup in every field as text", () =>
    Effect.gen(function* () {
      const { at, browser } = yield* atKeys
      for (const name of ["name", "expires", "access", "scopes", "allowed_ips", "daily_spend_limit_usd", "nonce"]) {
        const page = yield* browser.submit({ name: "Typed", expires: "30", access: "full", [name]: hostile })
        assertSafe(page, http)
        assert.notInclude(page.text, "<script>alert")
      }
      const typed = yield* browser.submit({ name: hostile, allowed_ips: hostile, daily_spend_limit_usd: hostile })
      assert.strictEqual(typed.status, 422)
      assert.strictEqual(fieldOf(typed, "name"), escaped)
      assert.strictEqual(fieldOf(typed, "daily_spend_limit_usd"), escaped)
      assert.include(typed.text, `>\n${escaped}</textarea>`)
      const created = yield* browser.submit({
        name: hostile,
        access: "full",
        allowed_ips: "",
        daily_spend_limit_usd: ""
      })
      assert.strictEqual(created.status, 200)
      assert.include(created.text, `<b>${escaped}</b>`)
      assertSafe(yield* at("keys"), http)
      const large = yield* browser.submit({ name: "n".repeat(100_000) })
      assert.strictEqual(large.status, 413)
    })
  )

  it.effect("does not revoke the key of another account", () =>
    Effect.gen(function* () {
      const owner = yield* atKeys
      const key = keyOn(yield* owner.browser.submit({ name: "Mine", access: "full" })) ?? ""
      const path = owner.browser.page()?.forms.find(({ action }) => action.endsWith("/revoke"))?.action ?? ""
      const other = yield* atKeys
      const refused = yield* other.post(new URL(path).pathname.replace("/app/", ""))
      assert.strictEqual(refused.status, 403)
      assert.include(refused.text, "belongs to another account")
      assert.strictEqual(yield* statusWith(key), 200)
      for (const id of [randomUUID(), "x", "%00", "1".repeat(2_000)])
        assert.strictEqual((yield* owner.post(`keys/${id}/revoke`)).status, 404, id)
    })
  )

  it.effect("are 25 to a page, and of one account", () =>
    Effect.gen(function* () {
      const { account, at } = yield* atKeys
      for (let n = 0; n < 27; n++)
        yield* request("POST", "/v1/api-keys", { user: account.token, body: { name: `key ${n}` } })
      const first = yield* at("keys")
      assert.lengthOf([...first.text.matchAll(/action="[^"]*\/revoke"/g)], 25)
      assert.include(first.text, "1 to 25 of 27")
      const second = yield* at("keys?offset=25")
      assert.lengthOf([...second.text.matchAll(/action="[^"]*\/revoke"/g)], 2)
      assert.strictEqual((yield* at("keys?offset=50")).url, `${http}/app/keys`)
      for (const offset of ["-1", "x", "1e9", "99999999999999999999"])
        assert.strictEqual((yield* at(`keys?offset=${offset}`)).status, 200)
      assert.include((yield* (yield* atKeys).at("keys")).text, "You have no API key yet")
    })
  )

  it.effect("asks others to sign in first, and then shows this page", () =>
    Effect.gen(function* () {
      const { account, at, browser } = yield* atKeys
      browser.cookies.delete("session")
      const page = yield* at("keys?offset=0")
      assert.strictEqual(page.url, `${http}/app/sign-in?next=%2Fapp%2Fkeys%3Foffset%3D0`)
      assert.strictEqual(
        (yield* browser.submit({ email: account.email, password: "correct horse battery staple" })).url,
        `${http}/app/keys?offset=0`
      )
      assert.strictEqual((yield* at(`keys/${randomUUID()}/revoke`)).status, 405)
    })
  )
})
