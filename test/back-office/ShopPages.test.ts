import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Shop } from "../../src/shop/Shop.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { changeOf, text } from "../shop/ShopTesting.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { admin, signedIn } from "./BackOfficeTesting.ts"

const reason = "Prices of the autumn"

const apply = (file: string) =>
  Shop.use((shop) => shop.apply(changeOf(file))).pipe(Effect.provide(Shop.layer), Effect.asVoid)

const priceOf = (article: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [offer] = yield* sql<{ usd: string; listed: boolean }>`
      SELECT options -> 0 -> 'prices' ->> 'USD' AS usd, listed FROM offer
      WHERE provider = 'gateway' AND external_id = ${article}
    `
    return offer
  })

layer(TestApp.layerGateway({}))("The pages of the shop", (it) => {
  it.effect("show the articles, change one after its plan, and say how its price comes about", () =>
    Effect.gen(function* () {
      yield* apply(text)
      const { browser, page } = yield* signedIn("owner@example.com", "owner")
      assert.include(page.text, 'href="/admin/shop"')
      const list = yield* browser.open(`${admin}/shop?kind=datacenter&country=de`)
      assertSafe(list, http)
      for (const part of ["Datacenter DE", "<code>de-dc</code>", "On sale", "1 month: $2.00"])
        assert.include(list.text, part)
      assert.notInclude(list.text, "Datacenter US")

      const form = yield* browser.open(`${admin}/shop/articles/dc-de`)
      assertSafe(form, http)
      assert.include(form.text, "{ days: 30, name: 1 month, usd: 2 }")
      const wrong = yield* browser.submit({ periods: "{ days: 30, name: 1 month, usd: 0 }", reason })
      assert.strictEqual(wrong.status, 422)
      assert.include(wrong.text, "articles.dc-de.periods.0.usd")
      assert.include(wrong.text, "{ days: 30, name: 1 month, usd: 0 }")
      const plan = yield* browser.submit({ periods: "{ days: 30, name: 1 month, usd: 2.5 }", reason })
      assertSafe(plan, http)
      assert.include(plan.text, "1 month (30 days): 2.00 USD → 2.50 USD")
      assert.deepStrictEqual(yield* priceOf("dc-de"), { usd: "2000000", listed: true })
      const done = yield* browser.submit({ reason })
      assert.include(done.text, "The shop is changed.")
      assert.deepStrictEqual(yield* priceOf("dc-de"), { usd: "2500000", listed: true })

      yield* browser.open(`${admin}/shop/articles/dc-de`)
      yield* browser.submit({ description: "Fast.\r\nIn Frankfurt.", reason })
      yield* browser.submit({ reason })
      const sql = yield* SqlClient.SqlClient
      const described = yield* sql`SELECT description FROM gateway_article WHERE id = 'dc-de'`
      assert.deepStrictEqual(described, [{ description: "Fast.\nIn Frankfurt." }])

      const [, offer = ""] = /\/admin\/shop\/offers\/(\d+)/.exec(list.text) ?? []
      const cascade = yield* browser.open(`${admin}/shop/offers/${offer}`)
      assertSafe(cascade, http)
      for (const part of ["Prices of Datacenter DE", "$2.50", "no rule"]) assert.include(cascade.text, part)
      assert.strictEqual((yield* browser.open(`${admin}/shop/articles/none`)).status, 404)
    })
  )

  it.effect("refuse a plan that is outdated, and show it anew with what was typed", () =>
    Effect.gen(function* () {
      yield* apply(text)
      const { browser } = yield* signedIn("other@example.com", "owner")
      yield* browser.open(`${admin}/shop/articles/dc-de`)
      yield* browser.submit({ name: "Germany", reason })
      // Somebody else changes the price meanwhile.
      yield* apply(text.replace("usd: 2 }", "usd: 4 }"))
      const anew = yield* browser.submit({ reason })
      assert.strictEqual(anew.status, 409)
      assert.include(anew.text, "so nothing was applied")
      assert.include(anew.text, "Datacenter DE → Germany")
      // The form has the price of the shop on which it began.
      assert.include(anew.text, "4.00 USD → 2.00 USD")
      assert.deepStrictEqual(yield* priceOf("dc-de"), { usd: "4000000", listed: true })
      const done = yield* browser.submit({ reason })
      assert.include(done.text, "The shop is changed.")
      assert.deepStrictEqual(yield* priceOf("dc-de"), { usd: "2000000", listed: true })
    })
  )

  it.effect("let finance set and remove a price rule, and not change the shop", () =>
    Effect.gen(function* () {
      yield* apply(text)
      const { browser } = yield* signedIn("finance@example.com", "finance")
      assert.strictEqual((yield* browser.open(`${admin}/shop/articles/dc-de`)).status, 403)
      yield* browser.open(`${admin}/shop/rule`)
      yield* browser.submit({ vendor: "gateway", country: "DE", markup: "10", reason })
      const done = yield* browser.submit({ reason })
      assert.include(done.text, "The shop is changed.")
      assert.deepStrictEqual(yield* priceOf("dc-de"), { usd: "2200000", listed: true })
      const rules = yield* browser.open(`${admin}/shop/rules`)
      assertSafe(rules, http)
      assert.include(rules.text, "vendor: gateway, country: DE")
      assert.include(rules.text, "markup: 10%")

      yield* browser.open(`${admin}/shop/rule?vendor=gateway&country=DE`)
      const plan = yield* browser.submit({ markup: "", reason })
      assert.include(plan.text, "2.20 USD → 2.00 USD")
      yield* browser.submit({ reason })
      assert.include((yield* browser.open(`${admin}/shop/rules`)).text, "There are no rules")
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql`SELECT FROM audit_event WHERE action = 'shop.price' AND reason = ${reason}`
      assert.lengthOf(events, 2)
    })
  )

  it.effect("take a whole file, longer than other forms, with all its faults", () =>
    Effect.gen(function* () {
      yield* apply(text)
      const { browser } = yield* signedIn("third@example.com", "owner")
      const form = yield* browser.open(`${admin}/shop/file`)
      assertSafe(form, http)
      assert.include(form.text, "name: Datacenter DE")
      const long = `# ${"a comment ".repeat(20_000)}\n`
      const wrong = yield* browser.submit({
        text: `${long}${text}`.replace("usd: 1.80", "usd: 0").replace("usd: 2 }", "usd: 0 }"),
        reason
      })
      assert.strictEqual(wrong.status, 422)
      for (const part of ["2 faults", "Line 13", "articles.dc-us.periods.0.usd", "Line 15", "a comment a comment"])
        assert.include(wrong.text, part)
      const unused = "prices:\n  - { vendor: gateway, country: AQ, markup: 10% }\n"
      const plan = yield* browser.submit({ text: `${text.replace("usd: 2 }", "usd: 5 }")}${unused}`, reason })
      assert.include(plan.text, "2.00 USD → 5.00 USD")
      assert.match(plan.text, /<pre[^>]*>\? [^\n]*prices\.0/, "the warning comes first")
      const again = yield* browser.submit({ edit: "yes" })
      assert.include(again.text, "usd: 5 }")
      yield* browser.submit({ reason })
      assert.include((yield* browser.submit({ reason })).text, "The shop is changed.")
      assert.deepStrictEqual(yield* priceOf("dc-de"), { usd: "5000000", listed: true })
    })
  )
})
