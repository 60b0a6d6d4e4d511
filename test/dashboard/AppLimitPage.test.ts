import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { atConsent, http, newAccount, password } from "./PagesTesting.ts"

const hostile = `<script>alert("1")</script>'"&`

/** A person with a connected app, and the address of the page of its limit. */
const withApp = Effect.fnUntraced(function* (fields: Record<string, string>, metadata: object = {}) {
  const at = yield* atConsent({ scopes: ["orders:read", "orders:write"], metadata })
  yield* at.browser.submit({ decision: "approve", ...fields })
  const { body } = yield* request("GET", "/v1/users/me/connections", { user: at.account.token })
  return { ...at, path: `${http}/app/connections/${body.connections[0].id}/limit` }
})

const limitOf = (token: string) =>
  Effect.map(
    request("GET", "/v1/users/me/connections", { user: token }),
    ({ body }) => body.connections[0].daily_spend_limit_usd
  )

layer(TestApp.layer())("The daily limit of a connected app", (it) => {
  it.effect("stands with the app, and its page changes and removes it", () =>
    Effect.gen(function* () {
      const { account, browser, path } = yield* withApp({ orders_write: "on", daily_spend_limit_usd: "12.5" })
      const apps = yield* browser.open(`${http}/app/connections`)
      assert.match(apps.text, /<dt>Daily limit<\/dt>\s*<dd>\s*\$12\.50/)
      assert.include(apps.text, `href="${new URL(path).pathname}"`)

      const page = yield* browser.open(path)
      assert.strictEqual(page.forms.find(({ names }) => names.has("daily_spend_limit_usd"))?.action, path)
      const saved = yield* browser.submit({ daily_spend_limit_usd: "7" })
      assert.strictEqual(new URL(saved.url).pathname, "/app/connections")
      assert.include(saved.text, "The daily limit is saved")
      assert.include(saved.text, "$7.00")
      assert.strictEqual(yield* limitOf(account.token), 7)

      yield* browser.open(path)
      const removed = yield* browser.submit({ daily_spend_limit_usd: "" })
      assert.match(removed.text, /<dt>Daily limit<\/dt>\s*<dd>\s*none/)
      assert.strictEqual(yield* limitOf(account.token), null)
    })
  )

  it.effect("does not stand with an app that may not spend", () =>
    Effect.gen(function* () {
      const { browser } = yield* withApp({})
      const apps = yield* browser.open(`${http}/app/connections`)
      assert.include(apps.text, "Proxy Pilot")
      assert.notInclude(apps.text, "Daily limit")
    })
  )

  it.effect("is not changed by a wrong, doubled or forged form, which shows what was typed", () =>
    Effect.gen(function* () {
      const spending = { orders_write: "on", daily_spend_limit_usd: "5" }
      const { account, browser, path } = yield* withApp(spending, { client_name: hostile })
      assertSafe(yield* browser.open(path), http)
      for (const typed of ["0", "-1", "1000000.5", "1,000", "1.000", "0.0000001", hostile, "9".repeat(50_000)]) {
        const again = yield* browser.submit({ daily_spend_limit_usd: typed })
        assert.strictEqual(again.status, 422)
        assert.include(again.text, "Enter an amount")
        assert.notInclude(again.text, "<script>alert")
        const shown = again.forms.find(({ names }) => names.has("daily_spend_limit_usd"))
        assert.strictEqual(shown?.values["daily_spend_limit_usd"], typed.slice(0, 2048))
      }
      assert.strictEqual((yield* browser.submit({ daily_spend_limit_usd: ["1", "2"] })).status, 422)
      const forged = yield* browser.submit({ daily_spend_limit_usd: "9", form_token: "0".repeat(64) })
      assert.strictEqual(forged.status, 403)
      assert.strictEqual(yield* limitOf(account.token), 5)
    })
  )

  it.effect("is nowhere for another person, for an unknown app and after the app was disconnected", () =>
    Effect.gen(function* () {
      const spending = { orders_write: "on", daily_spend_limit_usd: "5" }
      const { account, browser, path } = yield* withApp(spending)
      const other = yield* newAccount
      const stranger = yield* Browser.forServer(http)
      yield* stranger.open(path)
      const theirs = yield* stranger.submit({ email: other.email, password })
      assert.deepStrictEqual([theirs.url, theirs.status], [path, 404])
      assert.notInclude(theirs.text, "Proxy Pilot")
      for (const id of [randomUUID(), "x"])
        assert.strictEqual((yield* browser.open(`${http}/app/connections/${id}/limit`)).status, 404)

      yield* browser.open(path)
      const id = new URL(path).pathname.split("/").at(-2)
      yield* request("DELETE", `/v1/users/me/connections/${id}`, { user: account.token })
      assert.strictEqual((yield* browser.submit({ daily_spend_limit_usd: "9" })).status, 404)
    })
  )
})
