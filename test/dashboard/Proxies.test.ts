import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestApp from "../support/TestApp.ts"
import { newProxies } from "../orders/exports/ExportTesting.ts"
import { escaped, faultsOf, hostile, noticeOf, placeOf, wordsOf } from "./DeskTesting.ts"
import { http } from "./PagesTesting.ts"
import { ordersOf, owner, rowsOf } from "./ProxiesTesting.ts"

/** The proxies that a list offers to choose. */
const idsOn = ({ text }: Browser.Page) => Array.from(text.matchAll(/name="id"\s+value="([^"]*)"/g), ([, id]) => id)

layer(TestApp.layer(), { excludeTestServices: true })("The pages of the proxies", (it) => {
  it.effect("lead from the list to a proxy that is used, changed and extended", () =>
    Effect.gen(function* () {
      const { at, balance, browser, buy, user_id } = yield* owner
      assert.include(wordsOf(yield* at("proxies")), "You have no proxy yet. Buy proxies")
      const [id = ""] = yield* buy({ notes: "my crawler" })
      const list = yield* at("proxies")
      assertSafe(list, http)
      for (const words of ["All 1", "Active 1", "my crawler 192.0.2.10:20", "Datacenter", "United States", "ends in"])
        assert.include(wordsOf(list), words)
      assert.include(list.text, `href="/app/proxies/${id}"`)
      assert.match(list.text, /data-copy="http:\/\/user\d+:secret\d+@192\.0\.2\.10:\d+"/)

      const path = `proxies/${id}`
      const proxy = yield* at(path)
      assertSafe(proxy, http)
      for (const words of ["my crawler", "192.0.2.10", "curl -x", "ProxyAgent", "requests"])
        assert.include(wordsOf(proxy), words)

      const allowed = yield* browser.submit({ whitelisted_ips: "192.0.2.7\r\n2001:db8::1" }, { action: "/whitelist" })
      assert.deepStrictEqual(
        [placeOf(allowed), noticeOf(allowed)],
        [`${path}?outcome=whitelist`, "The allowed addresses are changed."]
      )
      const switched = yield* browser.submit({ protocol: "SOCKS5" }, { action: "/protocol" })
      assert.strictEqual(placeOf(switched), `${path}?outcome=protocol`)
      assert.match(
        wordsOf(switched),
        /With auto-renew, the proxy renews for \$1\.50 \(1 month\) on [^.]* UTC , from your wallet, at today's price/
      )
      const renewing = yield* browser.submit({}, { action: "/auto-renew" })
      assert.match(wordsOf(renewing), /It renews for \$1\.50 \(1 month\) on /)
      assert.strictEqual(noticeOf(renewing), "Auto-renew is on.")
      const [changed] = yield* ordersOf(user_id)
      assert.deepInclude(changed, {
        whitelisted_ips: ["192.0.2.7", "2001:db8::1"],
        protocol: "SOCKS5",
        auto_renew: true
      })
      assert.strictEqual(yield* balance, 98_500_000n)

      const review = yield* browser.submit({ months: "3" }, { action: "/extend" })
      assert.strictEqual(placeOf(review), `${path}/extend?months=3`)
      assert.include(wordsOf(review), "Total $4.00 Your wallet: $98.50 now, $94.50 afterwards.")
      assert.strictEqual(yield* balance, 98_500_000n)
      const extended = yield* browser.submit({}, { action: "/extend" })
      assert.strictEqual(placeOf(extended), `${path}?outcome=extended`)
      assert.strictEqual(yield* balance, 94_500_000n)
      const [longer] = yield* ordersOf(user_id)
      const days = ((longer?.expires_at.getTime() ?? 0) - (changed?.expires_at.getTime() ?? 0)) / 86_400_000
      assert.isTrue(days >= 89 && days <= 92, String(days))
    })
  )

  it.effect("extend once when the form is sent twice, at the same time or later", () =>
    Effect.gen(function* () {
      const { at, balance, browser, buy } = yield* owner
      const [id = ""] = yield* buy()
      const review = yield* at(`proxies/${id}/extend?months=1`)
      const form = review.forms.find(({ names }) => names.has("nonce"))
      const send = browser.post(form?.action ?? "", form?.values ?? {})
      const answers = yield* Effect.all([send, send], { concurrency: 2 })
      for (const { redirects } of answers)
        assert.deepStrictEqual(
          redirects.map(({ status }) => status),
          [303]
        )
      yield* send
      assert.strictEqual(yield* balance, 97_000_000n)
      const other = yield* browser.post(form?.action ?? "", { ...form?.values, months: "3" })
      assert.strictEqual(other.status, 409)
      assert.strictEqual(yield* balance, 97_000_000n)
    })
  )

  it.effect("charge nothing when the wallet cannot pay, and say so before", () =>
    Effect.gen(function* () {
      const { at, browser, buy } = yield* owner
      const [id = ""] = yield* buy()
      yield* buy({ quantity: 65 })
      const review = yield* at(`proxies/${id}/extend?months=1`)
      assert.match(wordsOf(review), /Your wallet lacks \$\d\.\d\d\. Top up/)
      const refused = yield* browser.submit({}, { action: "/extend" })
      assert.strictEqual(refused.status, 409)
      assert.include(Object.values(faultsOf(refused)).join(), "Your balance is too low")
    })
  )

  it.effect("refuse stale tokens, and fields that are missing, doubled or wrong", () =>
    Effect.gen(function* () {
      const { at, balance, browser, buy, user_id } = yield* owner
      const [id = ""] = yield* buy()
      const before = yield* ordersOf(user_id)
      const path = `proxies/${id}`
      const cases = [
        ["/whitelist", { form_token: null }, 403],
        ["/whitelist", { form_token: "0".repeat(64) }, 403],
        ["/whitelist", { whitelisted_ips: ["192.0.2.1", "192.0.2.2"] }, 422],
        ["/whitelist", { whitelisted_ips: "no address" }, 422],
        ["/whitelist", { whitelisted_ips: "192.0.2.1\n".repeat(101) }, 422],
        ["/protocol", { form_token: null }, 403],
        ["/protocol", { protocol: null }, 422],
        ["/protocol", { protocol: ["HTTP", "SOCKS5"] }, 422],
        ["/protocol", { protocol: "GOPHER" }, 422],
        ["/auto-renew", { form_token: "" }, 403],
        ["/auto-renew", { enabled: null }, 422],
        ["/auto-renew", { enabled: "yes" }, 422]
      ] as const
      for (const [action, fields, status] of cases) {
        yield* at(path)
        const answer = yield* browser.submit(fields, { action })
        assert.strictEqual(answer.status, status, `${action} ${JSON.stringify(fields).slice(0, 80)}`)
        assert.include(answer.text, "<title>Error: ")
      }
      const extensions = [
        [{ form_token: null }, 403],
        [{ nonce: null }, 422],
        [{ nonce: "1" }, 422],
        [{ months: null }, 400],
        [{ months: "25" }, 422],
        [{ months: ["1", "1"] }, 422],
        [{ expected_total: null }, 422],
        [{ expected_total: "-1" }, 422],
        [{ expected_expires_at: null }, 422],
        [{ expected_expires_at: "soon" }, 422],
        [{ expected_expires_at: new Date(0).toISOString() }, 409]
      ] as const
      for (const [fields, status] of extensions) {
        yield* at(`${path}/extend?months=1`)
        const answer = yield* browser.submit(fields, { action: "/extend" })
        assert.strictEqual(answer.status, status, JSON.stringify(fields))
      }
      assert.include(wordsOf(yield* at(`${path}/extend?months=99`)), "1 month")
      assert.deepStrictEqual(yield* ordersOf(user_id), before)
      assert.strictEqual(yield* balance, 98_500_000n)
    })
  )

  it.effect("show nothing of others, and lead strangers to the sign-in", () =>
    Effect.gen(function* () {
      const one = yield* owner
      const [id = ""] = yield* one.buy({ notes: "a secret plan" })
      const before = yield* ordersOf(one.user_id)
      const expected_expires_at = before[0]?.expires_at.toISOString() ?? ""
      const other = yield* owner
      assert.notInclude((yield* other.at("proxies?q=secret")).text, id)
      const unknown = randomUUID()
      for (const one of [id, unknown, "7", "%00"])
        for (const page of ["", "/extend"]) {
          const { status, text } = yield* other.at(`proxies/${one}${page}`)
          assert.isTrue(status === 404 || (status === 403 && one === id), `${one}${page} ${status}`)
          assert.notInclude(text, "secret plan")
        }
      for (const [action, fields] of [
        ["whitelist", { whitelisted_ips: "192.0.2.1" }],
        ["protocol", { protocol: "SOCKS5" }],
        ["auto-renew", { enabled: "on" }],
        ["extend", { months: "1", expected_total: "1.50", expected_expires_at, nonce: randomUUID() }]
      ] as const) {
        const { status } = yield* other.post(`proxies/${id}/${action}`, fields)
        assert.include([403, 404], status, action)
      }
      assert.deepStrictEqual(yield* ordersOf(one.user_id), before)
      const stranger = yield* Browser.forServer(http)
      for (const path of ["proxies", `proxies/${id}`, `proxies/${id}/extend`, "proxies/export", "proxies/links"]) {
        const { redirects } = yield* stranger.open(`${http}/app/${path}`)
        assert.match(redirects[0]?.location ?? "", /\/app\/sign-in\?next=/, path)
      }
    })
  )

  it.effect("escape HTML in every field", () =>
    Effect.gen(function* () {
      const { at, browser, buy, user_id } = yield* owner
      const [id = ""] = yield* buy({ notes: hostile })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET tags = ${[hostile]}, city = ${hostile}, host = ${hostile} WHERE id = ${id}`
      const query = new URLSearchParams({ q: hostile, country: hostile, sort: hostile, offset: hostile }).toString()
      for (const path of [
        "proxies",
        `proxies?${query}`,
        `proxies/${id}`,
        `proxies/${id}/extend`,
        `proxies/chosen?id=${id}`,
        `proxies/chosen/extend?ids=${id}`
      ]) {
        const page = yield* at(path)
        assert.notMatch(page.text, /<script>alert|<img/, path)
        assertSafe(page, http)
      }
      assert.include((yield* at(`proxies?q=${encodeURIComponent(hostile)}`)).text, `value="${escaped}"`)
      yield* at(`proxies/${id}`)
      const refused = yield* browser.submit({ whitelisted_ips: hostile }, { action: "/whitelist" })
      assert.include(refused.text, escaped)
      assert.lengthOf(yield* ordersOf(user_id), 1)
    })
  )

  it.effect("answer with a part of 1,000 proxies, and find each of them", () =>
    Effect.gen(function* () {
      const { at, user_id } = yield* owner
      const long = `${"&".repeat(200)}`
      const ids = yield* newProxies(
        user_id,
        Array.from({ length: 1000 }, (_, index) => ({ notes: `${String(index).padStart(4, "0")} ${long}` }))
      )
      const first = yield* at("proxies")
      assert.include(wordsOf(first), "1 to 50 of 1000")
      assert.strictEqual(rowsOf(first), 50)
      assert.isBelow(Buffer.byteLength(first.text), 100_000)
      const last = yield* at("proxies?offset=990&sort=name")
      assert.strictEqual(rowsOf(last), 10)
      assert.include(last.text, ids[999] ?? "?")
      const found = yield* at("proxies?q=0777")
      assert.deepStrictEqual([rowsOf(found), found.text.includes(ids[777] ?? "?")], [1, true])
      const hundred = yield* at(`proxies/chosen?ids=${ids.slice(0, 100).join()}`)
      assert.strictEqual(rowsOf(hundred), 100)
      assert.isBelow(Buffer.byteLength(hundred.text), 100_000)
      const prices = yield* at(`proxies/chosen/extend?ids=${ids.slice(0, 100).join()}`)
      assert.strictEqual(prices.status, 200)
      assert.isBelow(Buffer.byteLength(prices.text), 100_000)
      assert.strictEqual((yield* at(`proxies/chosen?ids=${ids.slice(0, 101).join()}`)).status, 422)
    })
  )

  it.effect("search, filter and sort the list, and keep that in every link", () =>
    Effect.gen(function* () {
      const { at, browser, buy, user_id } = yield* owner
      const [german] = yield* buy({ notes: "beta" }, "Residential")
      const [american = ""] = yield* buy({ notes: "Alpha" })
      yield* SqlClient.SqlClient.use((sql) => sql`UPDATE proxy_order SET tags = '{london}' WHERE id = ${american}`)
      assert.deepStrictEqual(idsOn(yield* at("proxies")), [american, german])
      assert.deepStrictEqual(idsOn(yield* at("proxies?sort=name")), [american, german])
      const found = yield* browser.submit({ q: " LONDON ", sort: "name" })
      assert.strictEqual(placeOf(found), "proxies?q=+LONDON+&proxy_type=&country=&auto_renew=&sort=name")
      assert.deepStrictEqual(idsOn(found), [american])
      assert.include(found.text, `href="/app/proxies?q=LONDON&amp;sort=name&amp;proxy_status=active"`)
      assert.deepStrictEqual(idsOn(yield* at("proxies?country=de")), [german])
      assert.deepStrictEqual(idsOn(yield* at("proxies?proxy_type=residential&proxy_status=active")), [german])
      assert.include(wordsOf(yield* at("proxies?q=nothing")), "No proxy matches. Show all")
      assert.strictEqual(placeOf(yield* at("proxies?q=london&offset=50")), "proxies?q=london")
      for (const odd of ["q=%00", `q=${"x".repeat(101)}`, "country=Germany", "sort=id", "proxy_type=x", "offset=-1"])
        assert.strictEqual(rowsOf(yield* at(`proxies?${odd}`)), 2, odd)
      const german2 = yield* browser.open(`${http}/app/proxies`, { headers: { "accept-language": "de" } })
      assert.include(wordsOf(german2), "Ausgewählte ändern")
      assert.lengthOf(yield* ordersOf(user_id), 2)
    })
  )

  it.effect("tell that the provider refused a change, and change nothing", () =>
    Effect.gen(function* () {
      const { at, browser, buy, user_id } = yield* owner
      const [id = ""] = yield* buy()
      const memory = yield* MemoryProvider
      yield* at(`proxies/${id}`)
      memory.setDown(true)
      const refused = yield* browser.submit({ protocol: "SOCKS5" }, { action: "/protocol" })
      memory.setDown(false)
      assert.strictEqual(refused.status, 503)
      assert.strictEqual((yield* ordersOf(user_id))[0]?.protocol, "HTTP")
    })
  )
})
