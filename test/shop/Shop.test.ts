import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { Shop } from "../../src/shop/Shop.ts"
import {
  apply,
  catalog,
  changeOf,
  close,
  faultsOf,
  open,
  ordered,
  plan,
  ruleOf,
  services,
  sharing,
  text
} from "./ShopTesting.ts"

/** The shop with a mobile article of these periods. */
const mobile = (periods: string) =>
  `${text.replace("articles:", "  m: { country: US, kind: mobile, exits: machine }\narticles:")}  mob: { pool: m, mode: rotating, ip_version: IPv4, name: Mobile, periods: [${periods}] }\n`

const otherChanges =
  "? The file also changes pools, articles or renewals; shop plan shows these changes, and shop apply makes them"

layer(services)("The shop", (it) => {
  it.effect("plans without a change, applies at once, and exports the same shop", () =>
    Effect.gen(function* () {
      const before = yield* catalog
      const planned = yield* plan(text)
      assert.deepStrictEqual(planned, [
        "+ 203.0.113.16 is sold by the pool de-dc",
        "+ 203.0.113.6 is sold by the pool us-dc",
        "+ 203.0.113.7 is sold by the pool us-dc",
        "+ gateway dc-us, Datacenter US",
        "    1 month (30 days): 1.80 USD or 139 stars (costs you 0.40 USD)",
        "    3 months (90 days): 5.13 USD",
        "+ gateway dc-de, Datacenter DE",
        "    1 month (30 days): 2.00 USD"
      ])
      assert.deepStrictEqual(yield* catalog, before)
      assert.isUndefined(yield* Shop.use(({ exported }) => exported))
      assert.deepStrictEqual(yield* apply(text), planned)
      const { version } = yield* catalog
      assert.strictEqual(version, before.version + 1)
      assert.deepStrictEqual(yield* apply(text), [])
      const described = text.replace("name: Datacenter DE", "name: Datacenter DE, description: New")
      assert.deepStrictEqual(yield* plan(described), [
        "~ gateway dc-de, Datacenter DE",
        '    description: none → "New"'
      ])
      const limited = text.replace("name: Datacenter DE", "name: Datacenter DE, rate_mbps: 50, max_connections: 9")
      assert.deepStrictEqual(yield* plan(limited), [
        "~ gateway dc-de, Datacenter DE",
        '    description: none → "At most 50 Mbit/s each way, 9 open connections."',
        "    rate_mbps: none → 50",
        "    max_connections: none → 9"
      ])
      const exported = yield* Shop.use(({ exported }) => exported)
      assert.deepStrictEqual(yield* apply(exported ?? ""), [])
      assert.strictEqual(yield* Shop.use(({ exported }) => exported), exported)
      assert.strictEqual((yield* catalog).version, version)
    })
  )

  it.effect("changes prices by rules, and back, without a vendor", () =>
    Effect.gen(function* () {
      const rules = `${text}prices:\n  - { vendor: gateway, markup: 10% }\n  - { vendor: gateway, article: dc-de, hidden: true }\n`
      assert.deepStrictEqual(yield* apply(rules), [
        "~ gateway dc-us, Datacenter US",
        "    1 month (30 days): 1.80 USD or 139 stars → 1.98 USD or 153 stars (costs you 0.40 USD)",
        "    3 months (90 days): 5.13 USD → 5.65 USD",
        "- gateway dc-de, Datacenter DE: no longer on sale"
      ])
      assert.lengthOf(yield* apply(text), 5)
      assert.deepStrictEqual(yield* apply(text.replace("cost: 0.40", "cost: 0.50")), [
        "~ gateway dc-us, Datacenter US",
        "    1 month (30 days): 1.80 USD or 139 stars (costs you 0.50 USD)"
      ])
      yield* apply(text)

      const lossy = `${text}prices:\n  - { vendor: gateway, days: 30, price: 0.39 }\n  - { vendor: iproyal, hidden: true }\n`
      const lines = yield* apply(lossy)
      assert.match(lines[1] ?? "", /→ 0\.39 USD.* \(costs you 0\.40 USD: a loss\)$/)
      assert.include(lines, "? These offers cost you more than their price: gateway dc-us")
      const last = lossy.split("\n").length - 1
      assert.strictEqual(
        lines.at(-1),
        `? prices.1 in line ${last}: no offer of the catalog matches this rule: it has no offers of iproyal; start the service with iproyal in PROVIDERS, which reads them, and plan again`
      )
      assert.notInclude((yield* plan(text + ruleOf("hidden: true"))).join(), "no offer of the catalog")
      const off = text.replace("name: Datacenter DE,", "name: Datacenter DE, state: off,")
      assert.match((yield* plan(off + ruleOf("markup: 5%"))).at(-1) ?? "", /^\? prices\.0 .*no offer of the catalog/)
      yield* apply(text)
    })
  )

  it.effect(
    "keeps everything but the prices when only the rules apply: the goods, the bound of renewals, the label of a demo",
    () =>
      Effect.gen(function* () {
        yield* Shop.use(({ apply }) =>
          apply({ ...changeOf(`${text}renewals: { announce_above: 50% }\n`), is_demo: true })
        )
        const exported = Shop.use(({ exported }) => Effect.map(exported, (file = "") => file))
        const before = yield* exported
        const rules =
          text.replace("Datacenter DE", "Another name") + "prices:\n  - { vendor: gateway, days: 30, floor: 9 }\n"
        const priced = Shop.use(({ apply }) => apply({ ...changeOf(rules), isPricesOnly: true }))
        assert.include((yield* priced).lines, otherChanges)
        const withoutRules = (yield* exported).replace(/^prices:\n(?: .*\n)+/m, "")
        assert.strictEqual(withoutRules, before)
        assert.isTrue(yield* Shop.use(({ isDemo }) => isDemo))
        const sql = yield* SqlClient.SqlClient
        const labelled = sql<{ is_demo: boolean }>`
          SELECT DISTINCT starts_with(description, 'Demo: not a real offer.') AS is_demo FROM offer WHERE listed`
        assert.deepStrictEqual(yield* labelled, [{ is_demo: true }])
        yield* apply(text)
        const same = Shop.use(({ plan }) => plan({ ...changeOf(text + ruleOf("floor: 9")), isPricesOnly: true }))
        assert.notInclude((yield* same).lines, otherChanges)
        assert.isFalse(yield* Shop.use(({ isDemo }) => isDemo))
        assert.deepStrictEqual(
          (yield* labelled).filter(({ is_demo }) => is_demo),
          []
        )
      })
  )

  it.effect("drains the address of a running proxy, and keeps the proxy's article for renewals", () =>
    Effect.gen(function* () {
      const proxy = yield* open("dc-us")
      assert.strictEqual(proxy.exit_ip, "203.0.113.6")
      const without = text.replace("[203.0.113.6, 203.0.113.7]", "[203.0.113.7]")
      assert.deepStrictEqual(yield* apply(without), [
        "- 203.0.113.6 is no longer sold by the pool us-dc; 1 running proxy keeps it"
      ])
      const other = yield* open("dc-us")
      assert.strictEqual(other.exit_ip, "203.0.113.7")
      assert.strictEqual((yield* Effect.flip(open("dc-us")))._tag, "GatewayOutOfStock")
      assert.isFalse((yield* catalog).offers[0]?.is_available)

      const moved = text
        .replace("exits: [203.0.113.16]", "exits: [203.0.113.16, 203.0.113.6]")
        .replace("[203.0.113.6, ", "[")
      assert.deepStrictEqual(yield* faultsOf(moved), [
        "4 pools.de-dc.exits.1: 1 running proxy of the pool us-dc has 203.0.113.6; remove the address, and add it to another pool when they have ended"
      ])
      const [, usArticle = ""] = /( {2}dc-us:[^]*?)\n {2}dc-de/.exec(text) ?? []
      assert.include(
        yield* apply(without.replace(`${usArticle}\n`, "")),
        "- gateway dc-us, Datacenter US: no longer on sale"
      )
      const found = yield* GatewayProxies.use(({ get }) => get(proxy.id))
      assert.deepStrictEqual(found, proxy)
      // No order runs, so the export leaves the article out, and applying it changes nothing.
      const exported = (yield* Shop.use(({ exported }) => exported)) ?? ""
      assert.notInclude(exported, "Datacenter US")
      assert.include(exported, "us-dc:")
      assert.deepStrictEqual(yield* apply(exported), [])
      yield* close(proxy)
      yield* close(other)
      yield* apply(text)
      assert.isTrue((yield* catalog).offers[0]?.is_available)
    })
  )

  it.effect("moves an address whose proxies are older than the shop, which keep it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const proxy = yield* open("dc-us")
      yield* sql`UPDATE gateway_proxy SET article = NULL, pool = NULL WHERE id = ${proxy.id}`
      const moved = text
        .replace("[203.0.113.6, 203.0.113.7]", "[203.0.113.7]")
        .replace("articles:", "  us-home: { country: US, kind: residential, exits: [203.0.113.6] }\narticles:")
      assert.deepStrictEqual(yield* apply(`${moved}${sharing("home-us", "us-home", "IPv4")}`), [
        "+ 203.0.113.6 is sold by the pool us-home",
        "- 203.0.113.6 is no longer sold by the pool us-dc; 1 running proxy keeps it",
        "+ gateway home-us, home-us",
        "    1 month (30 days): 2.00 USD"
      ])
      assert.strictEqual((yield* GatewayProxies.use(({ get }) => get(proxy.id))).exit_ip, "203.0.113.6")
      // A static proxy has the address to itself.
      assert.strictEqual((yield* Effect.flip(open("home-us")))._tag, "GatewayOutOfStock")
      yield* close(proxy)
      assert.strictEqual((yield* open("home-us").pipe(Effect.tap(close))).exit_ip, "203.0.113.6")
      yield* apply(text)
    })
  )

  it.effect("refuses what would change the meaning of something bought, with all lines", () =>
    Effect.gen(function* () {
      const before = yield* catalog
      const wrong = text
        .replace("us-dc: { country: US", "us-dc: { country: FR")
        .replace("- { days: 30, months: 1", "- { days: 31, months: 1")
      assert.deepStrictEqual(yield* faultsOf(wrong), [
        "3 pools.us-dc: The pool keeps its kind (datacenter) and its country (US); give the pool another name here and in its articles"
      ])
      yield* ordered("dc-us")
      const reordered = text.replace("- { days: 30, months: 1", "- { days: 31, months: 1")
      assert.match(
        (yield* faultsOf(reordered)).join(),
        /^12 articles\.dc-us\.periods\.0: Clients order a period by its position/
      )
      assert.deepStrictEqual(yield* catalog, before)
    })
  )

  it.effect("keeps every tariff of a mobile article that was ordered, because clients order it by its position", () =>
    Effect.gen(function* () {
      const [day, week, month] = [1, 7, 30].map((days) => `{ days: ${days}, name: ${days} days, usd: ${days} }`)
      yield* apply(mobile(`${week}`))
      // Nobody has ordered the article yet.
      yield* apply(mobile(`${day}, ${week}`))
      assert.match((yield* plan(mobile(`${day}`))).join(), /7 days: no longer sold/)
      yield* ordered("mob")
      assert.match((yield* faultsOf(mobile(`${day}`))).join(), /articles\.mob\.periods: The article has 2 periods/)
      assert.include((yield* apply(mobile(`${day}, ${week}, ${month}`))).join(), "30 days: not sold → 30.00 USD")
      yield* apply(text)
    })
  )
})
