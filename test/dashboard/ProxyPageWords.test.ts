import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { reprice } from "../support/Repricing.ts"
import * as TestApp from "../support/TestApp.ts"
import { escaped, hostile, wordsOf } from "./DeskTesting.ts"
import { atProxy as atProxyOf } from "./ProxyPagesTesting.ts"

const atProxy = (fields: object = {}) => Effect.andThen(reprice(100), atProxyOf("Datacenter", fields))

/** Whether a page loads again by itself, without scripts and with them. */
const reloads = (text = "") => [/http-equiv="refresh"/.test(text), / data-live="/.test(text)]

layer(TestApp.layer(), { excludeTestServices: true })("The words of a proxy's page", (it) => {
  it.effect("keep a tag of the API whole that has a comma", () =>
    Effect.gen(function* () {
      const { id, path, row, submit, visit } = yield* atProxy()
      yield* SqlClient.SqlClient.use((sql) => sql`UPDATE proxy_order SET tags = ${["a, b"]} WHERE id = ${id}`)
      yield* visit(path)
      yield* submit({ tags: "a, b\r\nc, d" }, { action: "/tags" })
      assert.deepStrictEqual((yield* row).tags, ["a, b", "c", "d"])
    })
  )

  it.effect("name its kind with the IP version, as text in its title", () =>
    Effect.gen(function* () {
      const { path, submit, visit } = yield* atProxy()
      const page = yield* visit(path)
      assert.match(page.text, /<title>Datacenter IPv4, United States · /)
      assert.match(wordsOf(page), /Active Datacenter IPv4 · .*United States · ends in 30 days/)
      yield* submit({ notes: hostile }, { action: "/notes" })
      const noted = yield* visit(path)
      assert.include(noted.text, `<title>${escaped}`)
      const list = yield* visit("proxies")
      assert.include(list.text, `aria-label="Copy: ${escaped.slice(0, 20)}`)
      assert.include(wordsOf(list), "Datacenter IPv4 United States")
    })
  )

  it.effect("have no end where a proxy has none", () =>
    Effect.gen(function* () {
      const { page } = yield* atProxy({ payment_method: "card_gateway" })
      assert.match(wordsOf(page()!), /Waiting for your payment Datacenter IPv4 · (?:[^·]*, )?United States (?!·)/)
    })
  )

  it.effect("stay while a person writes a note for an order that waits", () =>
    Effect.gen(function* () {
      const { page, path, row, submit, visit } = yield* atProxy({ payment_method: "card_gateway" })
      assert.deepStrictEqual(reloads(page()?.text), [true, true])
      const [, link = ""] = /href="\/app\/([^"]*)">Write a note/.exec(page()?.text ?? "") ?? []
      assert.notInclude(page()?.text, "<textarea")
      const form = yield* visit(link)
      assert.deepStrictEqual(reloads(form.text), [false, false])
      const refused = yield* submit({ notes: "n".repeat(1001) }, { action: "/notes" })
      assert.deepStrictEqual([refused.status, ...reloads(refused.text)], [422, false, false])
      assert.include(refused.text, "n".repeat(1001))
      const saved = yield* submit({ notes: "two\r\nlines" }, { action: "/notes" })
      assert.strictEqual((yield* row).notes, "two\nlines")
      assert.deepStrictEqual(reloads(saved.text), [true, true])
      assert.include(wordsOf(saved), "two lines")
      yield* SqlClient.SqlClient.use((sql) => sql`UPDATE proxy_order SET notes = ${hostile} WHERE user_id IS NOT NULL`)
      assert.include((yield* visit(path)).text, `<bdi>${escaped}</bdi>`)
    })
  )

  it.effect("ask before they change a login or the protocol", () =>
    Effect.gen(function* () {
      const { page, path } = yield* atProxy()
      const text = page()?.text ?? ""
      for (const [name, action] of [
        ["ask-password", "password"],
        ["ask-protocol", "protocol"]
      ]) {
        const question = text.indexOf(`<div id="${name}" class="card" popover`)
        assert.isAbove(question, text.indexOf(`popovertarget="${name}"`))
        assert.isAbove(text.indexOf(`${path}/${action}"`), question)
      }
    })
  )

  it.effect("write examples for the protocol", () =>
    Effect.gen(function* () {
      const secure = yield* atProxy()
      yield* SqlClient.SqlClient.use((sql) => sql`UPDATE proxy_order SET protocol = 'HTTPS' WHERE id = ${secure.id}`)
      yield* secure.visit(secure.path)
      assert.match(secure.page()?.text ?? "", /choose a manual HTTP proxy/)
      assert.match(
        secure.page()?.text ?? "",
        /curl -x &#39;http:.*ProxyAgent\(&quot;http:.*&quot;https&quot;: &quot;http:/s
      )
      const { page, submit } = yield* atProxy()
      assert.match(page()?.text ?? "", /curl -x &#39;http:.*new ProxyAgent\(&quot;http:.*pip install requests\n/s)
      const socks = yield* submit({}, { action: "/protocol" })
      assert.match(
        socks.text,
        /curl -x &#39;socks5h:.*new Socks5ProxyAgent\(&quot;socks5:.*pip install &quot;requests\[socks\]&quot;.*socks5h:/s
      )
    })
  )
})
