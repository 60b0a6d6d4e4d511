import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { end } from "../orders/exports/ExportTesting.ts"
import { escaped, faultsOf, hostile, noticeOf, placeOf, wordsOf } from "./DeskTesting.ts"
import { http } from "./PagesTesting.ts"
import { owner } from "./ProxiesTesting.ts"

const urlOn = ({ text }: Browser.Page) => /<code id="url">([^<]*)</.exec(text)?.[1]

const download = (url = "") => request("GET", new URL(url).pathname)

layer(TestApp.layer(), { excludeTestServices: true })("Files with proxies", (it) => {
  it.effect("have the proxies of the list, in each format", () =>
    Effect.gen(function* () {
      const { at, browser, buy } = yield* owner
      const [a = ""] = yield* buy({ notes: "=crawler" })
      const [b] = yield* buy({ notes: "ended" })
      yield* end(b)
      yield* at("proxies?sort=name")
      const text = yield* browser.submit({}, { action: "/export" })
      assert.strictEqual(placeOf(text), "proxies/export?sort=name&format=txt&template=")
      assert.deepInclude(text.headers, {
        "content-type": "text/plain; charset=utf-8",
        "cache-control": "private, no-store",
        "content-disposition": `attachment; filename="proxies.txt"`
      })
      assert.match(text.text, /^http:\/\/user\d+:secret\d+@192\.0\.2\.10:\d+\n$/)
      const csv = yield* at("proxies/export?format=csv")
      assert.include(csv.text, ",'=crawler,")
      const json = yield* at("proxies/export?format=json&proxy_status=expired")
      assert.deepStrictEqual(
        JSON.parse(json.text).map(({ order_id }: any) => order_id),
        [b]
      )
      const own = yield* at(`proxies/export?format=own&template=${encodeURIComponent("{name}:{port}")}`)
      assert.match(own.text, /^=crawler:\d+\n$/)
      assert.match((yield* at("proxies/export?format=nothing&template=")).text, /^http:/)
      const typed = yield* at(`proxies/export?format=txt&template=${encodeURIComponent("{name}")}`)
      assert.strictEqual(typed.text, "=crawler\n")
      const chosen = yield* at(`proxies/chosen/export?ids=${a},${b}&format=json`)
      assert.deepStrictEqual(
        JSON.parse(chosen.text).map(({ order_id }: any) => order_id),
        [a, b]
      )
    })
  )

  it.effect("are not saved with a wrong template: the form comes back with what was typed", () =>
    Effect.gen(function* () {
      const { at, buy } = yield* owner
      const [a = ""] = yield* buy()
      for (const page of ["proxies/export?q=", `proxies/chosen/export?ids=${a}`])
        for (const [format, template, says] of [
          ["own", "", "It may name {protocol} {host}"],
          ["own", "{secret}", "It may name {protocol} {host}"],
          ["txt", `${hostile}{x}`, "It may name {protocol} {host}"],
          ["own", "x".repeat(501), "It may name {protocol} {host}"],
          ["own", "{host}".repeat(21), "at most 20 names in braces"],
          ["csv", "{host}", "Only the format “Text” uses a format of your own."]
        ] as const) {
          const refused = yield* at(`${page}&format=${format}&template=${encodeURIComponent(template)}`)
          assert.strictEqual(refused.status, 422)
          assertSafe(refused, http)
          assert.include(faultsOf(refused)["template"], says)
          const form = refused.forms.find(({ action }) => action.includes("/export"))
          assert.deepInclude(form?.values, { format, template })
        }
    })
  )

  it.effect("are downloaded by a link, which is shown once, tells its last use and is revoked", () =>
    Effect.gen(function* () {
      const { at, browser, buy } = yield* owner
      yield* buy({ notes: "crawler" })
      assert.include(wordsOf(yield* at("proxies/links")), "You have no link yet.")
      const nonce = browser.page()?.forms.find(({ names }) => names.has("nonce"))?.values["nonce"] ?? ""
      const fields = {
        name: " London ",
        format: "own",
        template: "{name}",
        country: "us",
        q: "crawl",
        proxy_status: "active",
        sort: "name"
      }
      const created = yield* browser.submit(fields)
      assert.strictEqual(created.status, 200)
      assertSafe(created, http)
      assert.include(wordsOf(created), "The link London is created")
      const url = urlOn(created)
      assert.strictEqual((yield* download(url)).body, "crawler\n")
      const again = yield* browser.submit({ ...fields, nonce })
      assert.include(wordsOf(again), "was created already")
      assert.isUndefined(urlOn(again))
      const list = yield* at("proxies/links")
      assert.notInclude(list.text, url?.split("/").at(-1) ?? "?")
      assert.match(wordsOf(list), /London \{name\} Active, United States, crawl (?!never)\S/)
      assert.lengthOf(list.text.match(/<div id="revoke-/g) ?? [], 1)
      const revoked = yield* browser.submit({}, { action: "/revoke" })
      assert.deepStrictEqual(
        [placeOf(revoked), noticeOf(revoked)],
        ["proxies/links?outcome=revoked", "The link is revoked."]
      )
      assert.strictEqual((yield* download(url)).status, 404)
    })
  )

  it.effect("need a form that is genuine and right", () =>
    Effect.gen(function* () {
      const { at, browser, user_id } = yield* owner
      const good = { name: "x", format: "txt" }
      const cases = [
        [{ form_token: null }, 403, ""],
        [{ name: "" }, 422, "name"],
        [{ name: "x".repeat(101) }, 422, "name"],
        [{ name: ["a", "b"] }, 422, "name"],
        [{ format: "xml" }, 422, "format"],
        [{ format: null }, 422, "format"],
        [{ format: "own" }, 422, "template"],
        [{ format: "own", template: "{password} {secret}" }, 422, "template"],
        [{ country: "Germany" }, 422, "country"],
        [{ q: "x".repeat(101) }, 422, "q"],
        [{ proxy_type: "tank" }, 422, "proxy_type"],
        [{ proxy_status: "gone" }, 422, "proxy_status"],
        [{ sort: "price" }, 422, "sort"],
        [{ nonce: "1" }, 422, "nonce"]
      ] as const
      for (const [fields, status, at_] of cases) {
        yield* at("proxies/links")
        const page = yield* browser.submit({ ...good, ...fields })
        assert.deepStrictEqual([page.status, Object.keys(faultsOf(page))], [status, [at_]], JSON.stringify(fields))
      }
      yield* at("proxies/links")
      const kept = yield* browser.submit({ ...good, name: hostile, q: hostile, country: hostile, template: hostile })
      assert.strictEqual(kept.status, 422)
      assert.lengthOf(kept.text.split(escaped), 5)
      const links = SqlClient.SqlClient.use((sql) => sql`SELECT id FROM download_link WHERE user_id = ${user_id}`)
      assert.deepStrictEqual(yield* links, [])
      assert.include((yield* browser.submit({ ...good, name: hostile, country: "" })).text, escaped)
    })
  )

  it.effect("by the links of others are not found, and an account has 20 links", () =>
    Effect.gen(function* () {
      const one = yield* owner
      yield* one.at("proxies/links")
      const created = yield* one.browser.submit({ name: "x", format: "csv" })
      const [, id = ""] = /revoke-([0-9a-f-]{36})/.exec(created.text) ?? []
      const other = yield* owner
      for (const link of [id, randomUUID(), "7"])
        assert.strictEqual((yield* other.post(`proxies/links/${link}/revoke`)).status, 404, link)
      for (let made = 1; made < 20; made++) yield* one.browser.submit({ name: "x", format: "csv" })
      assert.include(wordsOf(one.browser.page() ?? created), "You have 20 links, which is the most.")
      const full = yield* one.post("proxies/links", { name: "x", format: "csv", nonce: randomUUID() })
      assert.strictEqual(full.status, 409)
      const unsigned = yield* one.browser.post(`${http}/app/proxies/links/${id}/revoke`, {})
      assert.strictEqual(unsigned.status, 403)
      assert.strictEqual((yield* download(urlOn(created))).status, 200)
    })
  )
})
