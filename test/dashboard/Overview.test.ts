import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { Page } from "../support/Browser.ts"
import { fund } from "../support/Fixtures.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newProxies } from "../orders/exports/ExportTesting.ts"
import { signedIn, verifyEmail } from "./DeskTesting.ts"
import { rowsOf } from "./ProxiesTesting.ts"

/** The pages to which the first steps lead. */
const stepsOn = ({ text }: Page) => {
  const [, list = ""] = /<h2 id="first">.*?<ol[^>]*>(.*?)<\/ol>/s.exec(text) ?? []
  return Array.from(list.matchAll(/href="\/app\/([^"]*)"/g), ([, path = ""]) => path)
}

layer(TestApp.layer())("The overview", (it) => {
  it.effect("shows each first step until it is done, also after the first purchase", () =>
    Effect.gen(function* () {
      const { account, user_id, visit } = yield* signedIn
      const steps = Effect.map(visit(""), stepsOn)
      assert.deepStrictEqual(yield* steps, ["email", "wallet/top-up", "shop", "keys"])
      yield* verifyEmail(user_id)
      assert.deepStrictEqual(yield* steps, ["wallet/top-up", "shop", "keys"])
      yield* fund(user_id, 1_000_000n)
      assert.deepStrictEqual(yield* steps, ["shop", "keys"])
      const sql = yield* SqlClient.SqlClient
      yield* OrderRows.offer
      const order = OrderRows.paidOrder(randomUUID(), user_id, yield* DateTime.now)
      yield* sql`INSERT INTO proxy_order ${sql.insert(order)}`
      assert.deepStrictEqual(yield* steps, ["keys"])
      yield* request("POST", "/v1/api-keys", { user: account.token, body: { name: "key" } })
      assert.notInclude((yield* visit("")).text, "Your first steps")
    })
  )

  it.effect("lists the proxies that end next, counts the others, and leaves out those that renew", () =>
    Effect.gen(function* () {
      const { user_id, visit } = yield* signedIn
      const rows = [
        // Newer and earlier to end than all others, but these renew.
        ...Array.from({ length: 12 }, (_, index) => ({ hours: index + 1, auto_renew: true })),
        ...Array.from({ length: 12 }, (_, index) => ({ hours: 72 - index, auto_renew: false }))
      ]
      const ids = yield* newProxies(
        user_id,
        rows.map(() => ({}))
      )
      const sql = yield* SqlClient.SqlClient
      const now = yield* DateTime.now
      for (const [index, { auto_renew, hours }] of rows.entries())
        yield* sql`UPDATE proxy_order SET ${sql.update({
          auto_renew,
          proxy_status: "expiring",
          expiring_at: DateTime.toDate(now),
          expires_at: DateTime.toDate(DateTime.add(now, { hours }))
        })} WHERE id = ${ids[index]}`
      const page = yield* visit("")
      const [, note = ""] = /<h2 id="ending">(.*?)<\/section>/s.exec(page.text) ?? []
      const listed = Array.from(note.matchAll(/proxies\/([0-9a-f-]{36})/g), ([, id = ""]) => ids.indexOf(id))
      assert.deepStrictEqual(listed, [23, 22, 21, 20, 19, 18, 17, 16, 15, 14])
      const [, all = "", label] = /href="\/app\/(proxies\?[^"]*)"\s*>([^<]*)</.exec(note) ?? []
      assert.strictEqual(label, "2 more: see all")
      const list = yield* visit(all.replaceAll("&amp;", "&"))
      assert.strictEqual(rowsOf(list), 12)
      assert.deepInclude(list.forms.find(({ names }) => names.has("sort"))?.values, {
        proxy_status: "expiring",
        auto_renew: "false",
        sort: "expires_at"
      })
      assert.strictEqual(rowsOf(yield* visit("proxies?auto_renew=true")), 12)
      assert.strictEqual(rowsOf(yield* visit("proxies?auto_renew=perhaps")), 24)
    })
  )

  it.effect("leads from each figure to the page that it is about", () =>
    Effect.gen(function* () {
      const { visit } = yield* signedIn
      const { text } = yield* visit("")
      const tiles = Array.from(text.matchAll(/tile">\s*<h2><a href="([^"]*)">([^<]*)</g), ([, href, label]) => [
        label,
        href
      ])
      assert.deepStrictEqual(tiles, [
        ["Active proxies", "/app/proxies"],
        ["Balance", "/app/wallet"],
        ["Ending soon", "/app/proxies?proxy_status=expiring"],
        ["Traffic in 30 days", "#traffic"]
      ])
      assert.include(text, 'id="traffic"')
    })
  )

  it.effect("reminds of an API key for 14 days, because not everybody needs one", () =>
    Effect.gen(function* () {
      const { visit } = yield* signedIn
      yield* TestClock.adjust("14 days")
      assert.include(stepsOn(yield* visit("")), "keys")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(stepsOn(yield* visit("")), ["email", "wallet/top-up", "shop"])
    })
  )
})
