import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { read } from "../../src/shop/ReadShopFile.ts"
import { Shop } from "../../src/shop/Shop.ts"
import { newUser } from "../support/Fixtures.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const services = Layer.mergeAll(GatewayProxies.layer, HeldPorts.layer, Shop.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ GATEWAY_PORTS: "24000-24199" })))
)

const text = `version: 1
pools:
  us-dc: { country: US, kind: datacenter, exits: [203.0.113.6, 203.0.113.7] }
  de-dc: { country: DE, kind: datacenter, exits: [203.0.113.16] }
articles:
  dc-us:
    pool: us-dc
    mode: static
    ip_version: IPv4
    name: Datacenter US
    periods:
      - { days: 30, months: 1, name: 1 month, usd: 1.80, star: 139, cost: 0.40 }
      - { days: 90, months: 3, name: 3 months, usd: 5.13 }
  dc-de: { pool: de-dc, mode: static, ip_version: IPv4, name: Datacenter DE, periods: [{ days: 30, name: 1 month, usd: 2 }] }
`

const sharing = (name: string, pool: string, version: string) =>
  `  ${name}: { pool: ${pool}, mode: static, ip_version: ${version}, name: ${name}, periods: [{ days: 30, name: 1 month, usd: 2 }] }\n`

const ruleOf = (part: string) => `prices:\n  - { vendor: gateway, article: dc-de, ${part} }\n`

const changeOf = (file: string) => ({ ...Result.getOrThrow(read(file)), is_demo: false, isSelling: true })
const plan = (file: string) => Shop.use((shop) => shop.plan(changeOf(file)))
const apply = (file: string) => Shop.use((shop) => shop.apply(changeOf(file)))
const faultsOf = (file: string) =>
  Effect.map(Effect.flip(apply(file)), ({ faults }) =>
    faults.map(({ field, line, reason }) => `${line} ${field}: ${reason}`)
  )

const open = (article: string) =>
  GatewayProxies.use((proxies) =>
    proxies.open({
      reference: randomUUID(),
      article,
      protocol: "HTTP",
      limit_bytes: null,
      expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
    })
  )

const close = ({ id }: { readonly id: Parameters<GatewayProxies["Service"]["close"]>[0] }) =>
  GatewayProxies.use((proxies) => proxies.close(id))

/** Records an order of an article. */
const ordered = Effect.fnUntraced(function* (external_id: string) {
  const sql = yield* SqlClient.SqlClient
  const offers = yield* sql<{ id: number }>`SELECT id FROM offer WHERE external_id = ${external_id}`
  const order = OrderRows.paidOrder(randomUUID(), yield* newUser, yield* DateTime.now)
  yield* sql`INSERT INTO proxy_order ${sql.insert({ ...order, offer_id: offers[0]?.id, provider: "gateway", external_id })}`
})

const catalog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [version] = yield* sql<{ version: string }>`SELECT version::text FROM catalog_version`
  const offers = yield* sql<{ external_id: string; usd: string; listed: boolean; is_available: boolean }>`
    SELECT external_id, options -> 0 -> 'prices' ->> 'USD' AS usd, listed, renewable, is_available FROM offer ORDER BY id
  `
  return { version: Number(version?.version), offers }
})

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
        "    1 month: 1.80 USD or 139 stars (costs you 0.40 USD)",
        "    3 months: 5.13 USD",
        "+ gateway dc-de, Datacenter DE",
        "    1 month: 2.00 USD"
      ])
      assert.deepStrictEqual(yield* catalog, before)
      assert.isUndefined(yield* Shop.use(({ exported }) => exported))
      assert.deepStrictEqual(yield* apply(text), planned)
      const { version } = yield* catalog
      assert.strictEqual(version, before.version + 1)
      assert.deepStrictEqual(yield* apply(text), [])
      const described = text.replace("name: Datacenter DE", "name: Datacenter DE, description: New")
      assert.deepStrictEqual(yield* plan(described), ["~ gateway dc-de, Datacenter DE", "    description: changed"])
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
        "    1 month: 1.80 USD or 139 stars → 1.98 USD or 153 stars (costs you 0.40 USD)",
        "    3 months: 5.13 USD → 5.65 USD",
        "- gateway dc-de, Datacenter DE: no longer on sale"
      ])
      assert.lengthOf(yield* apply(text), 5)
      assert.deepStrictEqual(yield* apply(text.replace("cost: 0.40", "cost: 0.50")), [
        "~ gateway dc-us, Datacenter US",
        "    1 month: 1.80 USD or 139 stars (costs you 0.50 USD)"
      ])
      yield* apply(text)

      const lossy = `${text}prices:\n  - { vendor: gateway, days: 30, price: 0.39 }\n  - { vendor: iproyals, hidden: true }\n`
      const lines = yield* apply(lossy)
      assert.match(lines[1] ?? "", /→ 0\.39 USD.* \(costs you 0\.40 USD: a loss\)$/)
      const last = lossy.split("\n").length - 1
      assert.strictEqual(lines.at(-1), `? prices.1 in line ${last}: no offer of the catalog matches this rule`)
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
        yield* Shop.use(({ apply }) => apply({ ...changeOf(rules), isPricesOnly: true }))
        const withoutRules = (yield* exported).replace(/^prices:\n(?: .*\n)+/m, "")
        assert.strictEqual(withoutRules, before)
        assert.isTrue(yield* Shop.use(({ isDemo }) => isDemo))
        const sql = yield* SqlClient.SqlClient
        const labelled = sql<{ is_demo: boolean }>`
          SELECT DISTINCT starts_with(description, 'Demo: not a real offer.') AS is_demo FROM offer WHERE listed`
        assert.deepStrictEqual(yield* labelled, [{ is_demo: true }])
        yield* apply(text)
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
        "    1 month: 2.00 USD"
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
        "3 pools.us-dc: The pool keeps its kind (datacenter) and its country (US); add a pool with another name",
        "7 articles.dc-us: The article keeps its kind, country and IP version (datacenter, US, IPv4); add an article with another name"
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
      const mobile = (periods: string) =>
        `${text.replace("articles:", "  m: { country: US, kind: mobile, exits: machine }\narticles:")}  mob: { pool: m, mode: rotating, ip_version: IPv4, name: Mobile, periods: [${periods}] }\n`
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

  it.effect("sells the last one once: 40 want it, and the catalog shows it in the same transaction", () =>
    Effect.gen(function* () {
      const { version } = yield* catalog
      const results = yield* Effect.forEach(Array.from({ length: 40 }), () => Effect.result(open("dc-de")), {
        concurrency: 40
      })
      const sold = results.filter(Result.isSuccess)
      assert.lengthOf(sold, 1)
      const after = yield* catalog
      assert.deepStrictEqual([after.version, after.offers[1]?.is_available], [version + 1, false])
      yield* close(sold[0]!.success)
    })
  )

  it.effect("never has more open proxies of an article than its limit", () =>
    Effect.gen(function* () {
      const limited = `${text}    limit: 1\n`.replace(
        "periods: [{ days: 30, name: 1 month, usd: 2 }] }",
        "limit: 1, periods: [{ days: 30, name: 1 month, usd: 2 }] }"
      )
      yield* apply(limited.replace("    limit: 1\n", "").replace("exits: [203.0.113.16]", "exits: machine"))
      const results = yield* Effect.forEach([1, 2, 3], () => Effect.result(open("dc-de")), { concurrency: 3 })
      assert.lengthOf(results.filter(Result.isSuccess), 1)
      assert.isFalse((yield* catalog).offers[1]?.is_available)
    })
  )

  it.effect("shows all articles of the same addresses as sold out when the last address is sold, and no others", () =>
    Effect.gen(function* () {
      const file = text.replace(
        "articles:\n",
        `  fr-dc: { country: FR, kind: datacenter, exits: [203.0.113.26, "2001:db8::26"] }
  nl-dc: { country: NL, kind: datacenter, exits: [203.0.113.36] }
articles:
${sharing("fr-one", "fr-dc", "IPv4")}${sharing("fr-two", "fr-dc", "IPv4")}${sharing("fr-six", "fr-dc", "IPv6")}${sharing("nl-one", "nl-dc", "IPv4")}`
      )
      yield* apply(file)
      yield* open("fr-one")
      const shown = (yield* catalog).offers.flatMap(({ external_id, is_available }) =>
        /^(fr|nl)-/.test(external_id) && is_available ? external_id : []
      )
      assert.deepStrictEqual(shown, ["fr-six", "nl-one"])
    })
  )
})
