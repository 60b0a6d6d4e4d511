import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { fund } from "../support/Fixtures.ts"
import { assertSafe } from "../support/Markup.ts"
import { datacenter } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { lift, publicReason, restrict } from "../support/Restricting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { anotherBrowser, faultsOf, hostile, signedIn, wordsOf } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"

const path = "account/deletion"

const atDeletion = Effect.tap(signedIn, ({ at }) => at(path))

const isDeleted = Effect.fnUntraced(function* (user_id: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT FROM user_account WHERE id = ${user_id} AND deleted_at IS NOT NULL`).length === 1
})

layer(TestApp.layer(), { excludeTestServices: true })("The deletion of an account", (it) => {
  it.effect("shows what is lost, asks for the password, ends everything and signs out", () =>
    Effect.gen(function* () {
      const { account, at, browser, user_id } = yield* signedIn
      const { token: user } = account
      yield* fund(user_id, 25_000_000n)
      yield* fund(user_id, 1_500n, "STAR")
      ;(yield* MemoryProvider).setOffers([datacenter])
      yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
      const { body: catalog } = yield* request("GET", "/v1/catalog")
      const { body: orders } = yield* request("POST", "/v1/orders", {
        user,
        body: { offer_id: catalog.kinds[0].offers[0].id, payment_method: "wallet", quantity: 2 }
      })
      assert.lengthOf(orders, 2)
      const spent = orders.reduce((sum: number, { total_usd }: any) => sum + total_usd, 0)
      const { body: key } = yield* request("POST", "/v1/api-keys", { user, body: { name: "key" } })
      const other = yield* anotherBrowser(account)

      const page = yield* at(path)
      assertSafe(page, http)
      assert.include(wordsOf(page), `What you lose Balance $${(25 - spent).toFixed(2)} 1,500 stars Proxies that work`)
      assert.include(wordsOf(page), "Proxies that work now 2")

      const done = yield* browser.submit({ password })
      assert.strictEqual(done.status, 200)
      assertSafe(done, http)
      assert.include(wordsOf(done), "Your account is deleted")
      assert.match(done.setCookies.join(), /^session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/)
      assert.isTrue(yield* isDeleted(user_id))
      for (const one of [browser, other])
        assert.include((yield* one.open(`${http}/app/account`)).url, `${http}/app/sign-in`)
      for (const credentials of [{ user }, { headers: { "x-api-key": key.key } }])
        assert.strictEqual((yield* request("GET", "/v1/users/me", credentials)).status, 401)
      yield* browser.open(`${http}/app/sign-in`)
      assert.strictEqual((yield* browser.submit({ email: account.email, password })).status, 401)
      yield* browser.open(`${http}/app/register`)
      assert.strictEqual((yield* browser.submit({ email: account.email, password })).url, `${http}/app`)
    })
  )

  it.effect("happens once when its form is sent twice at the same time", () =>
    Effect.gen(function* () {
      const { browser, user_id } = yield* atDeletion
      const send = browser.submit({ password })
      const statuses = (yield* Effect.all([send, send], { concurrency: "unbounded" })).map(({ status }) => status)
      assert.include(statuses, 200)
      assert.isEmpty(statuses.filter((status) => status >= 500))
      assert.isTrue(yield* isDeleted(user_id))
      assert.match((yield* browser.open(`${http}/app/${path}`)).url, /\/app\/sign-in/)
    })
  )

  it.effect.each(["hold", "suspend"] as const)("waits until a restriction (%s) is lifted, and says so", (preset) =>
    Effect.gen(function* () {
      const { account, at, browser, user_id } = yield* signedIn
      const { id } = yield* restrict(user_id, preset)
      yield* at(path)
      const page = yield* browser.submit({ password })
      assert.strictEqual(page.status, 403)
      assert.include(wordsOf(page), "Your account is restricted. It cannot be deleted")
      const remove = request("DELETE", "/v1/users/me", { user: account.token, body: { password } })
      const { body, status } = yield* remove
      assert.deepStrictEqual(
        [status, body.details],
        [403, { reason: "account_restricted", public_reason: publicReason }]
      )
      assert.isFalse(yield* isDeleted(user_id))
      yield* lift(id)
      assert.strictEqual((yield* remove).status, 204)
      assert.isTrue(yield* isDeleted(user_id))
    })
  )

  it.effect("does not happen without the password or the token of the form", () =>
    Effect.gen(function* () {
      const { at, browser, user_id } = yield* atDeletion
      for (const [wrong, status, name] of [
        [{ password: "wrong horse" }, 403, "password"],
        [{ password: hostile }, 403, "password"],
        [{ password: "" }, 422, "password"],
        [{ password: null }, 422, "password"],
        [{ password: [password, password] }, 422, "password"],
        [{ password, form_token: null }, 403, ""],
        [{ password, form_token: "0".repeat(64) }, 403, ""]
      ] as const) {
        yield* at(path)
        const page = yield* browser.submit(wrong)
        assert.strictEqual(page.status, status, JSON.stringify(wrong))
        assert.deepStrictEqual(Object.keys(faultsOf(page)), [name])
        assertSafe(page, http)
      }
      yield* at(path)
      assert.strictEqual((yield* browser.submit({ password: "p".repeat(100_000) })).status, 413)
      yield* at(path)
      browser.cookies.delete("session")
      assert.strictEqual((yield* browser.submit({ password })).url, `${http}/app/sign-in`)
      assert.isFalse(yield* isDeleted(user_id))
    })
  )
})
