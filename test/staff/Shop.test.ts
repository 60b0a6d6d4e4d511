import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Shop } from "../../src/shop/Shop.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { changeOf, text } from "../shop/ShopTesting.ts"
import { datacenter, residential } from "../support/MemoryOffers.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff } from "./StaffTesting.ts"

const ask = (secret: string, method: "GET" | "POST", path: string, body?: object, key: string = randomUUID()) =>
  request(method, `/v1/admin${path}`, {
    headers: { authorization: `Bearer ${secret}`, ...(method === "POST" && { "idempotency-key": key }) },
    ...(body !== undefined && { body })
  })

const session = (role: "finance" | "owner" | "support" | "viewer") =>
  Effect.flatMap(newStaff(role), (id) => newSession(id))

const reason = "Prices of the autumn"
const dearer = text.replace("usd: 2 }", "usd: 3 }")
const hidden = `${text}prices:\n  - { vendor: gateway, article: dc-de, hidden: true }\n`

/** The shop of the tests, applied by its own service. */
const begun = Effect.gen(function* () {
  yield* Shop.use((shop) => shop.apply(changeOf(text)))
}).pipe(Effect.provide(Shop.layer))

const vended = Effect.gen(function* () {
  const { changing, replace } = yield* CatalogWriter
  yield* changing(replace({ name: "vendor", markup: 1000 }, [datacenter, residential]))
}).pipe(Effect.provide(CatalogWriter.layer))

layer(TestApp.layerGateway({}))("The shop in the admin API", (it) => {
  it.effect("is planned and applied once, in one transaction and on record; an outdated plan is refused", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* begun
      const owner = yield* session("owner")
      const present = (yield* ask(owner, "GET", "/shop")).body
      const planned = (yield* ask(owner, "POST", "/shop/plan", { text: dearer })).body
      assert.include(planned.lines.join("\n"), "1 month (30 days): 2.00 USD → 3.00 USD")
      assert.strictEqual(planned.version, present.version)
      assert.strictEqual((yield* ask(owner, "GET", "/shop")).body.version, present.version)

      const agreed = { text: dearer, version: planned.version, plan: planned.plan, reason }
      const key = randomUUID()
      const applied = yield* ask(owner, "POST", "/shop/apply", agreed, key)
      assert.strictEqual(applied.status, 200, JSON.stringify(applied.body))
      const { version } = (yield* ask(owner, "GET", "/shop")).body
      assert.deepStrictEqual(applied.body, { plan: planned.plan, version })
      assert.notStrictEqual(version, present.version)
      const again = yield* ask(owner, "POST", "/shop/apply", agreed, key)
      assert.deepStrictEqual([again.headers["idempotency-replayed"], again.body], ["true", applied.body])

      const reused = yield* ask(owner, "POST", "/shop/apply", { ...agreed, text: `${dearer}# A comment\n` }, key)
      assert.strictEqual(reused.status, 200, "the same shop in other words")
      const otherChange = yield* ask(owner, "POST", "/shop/apply", { ...agreed, text }, key)
      assert.deepStrictEqual([otherChange.status, otherChange.body.details.reason], [409, "idempotency_key_reused"])

      const [event] = yield* sql<{ before: any; after: any; reason: string }>`
        SELECT before, after, reason FROM audit_event WHERE action = 'shop.change' AND outcome = 'done'
      `
      assert.deepStrictEqual(event?.before, { version: present.version })
      assert.strictEqual(event?.after.version, version)
      assert.include(event?.after.changes.join("\n"), "2.00 USD → 3.00 USD")
      assert.strictEqual(event?.reason, reason)

      const late = yield* ask(owner, "POST", "/shop/apply", agreed)
      assert.deepStrictEqual([late.status, late.body.details.reason], [409, "version_conflict"])
      // The same shop, but other effects than the plan showed.
      const other = yield* ask(owner, "POST", "/shop/apply", { ...agreed, text, version })
      assert.deepStrictEqual([other.status, other.body.details.reason], [409, "catalog_changed"])
      assert.strictEqual((yield* ask(owner, "GET", "/shop")).body.version, version)
    })
  )

  it.effect("is changed by one of two people who apply at the same time", () =>
    Effect.gen(function* () {
      yield* begun
      const owners = [yield* session("owner"), yield* session("owner")]
      const files = [dearer, text.replace("usd: 5.13", "usd: 6")]
      const planned = yield* Effect.forEach(owners, (owner, index) =>
        Effect.map(ask(owner, "POST", "/shop/plan", { text: files[index] }), ({ body }) => body)
      )
      const answers = yield* Effect.forEach(
        owners,
        (owner, index) => {
          const { plan, version } = planned[index]
          return ask(owner, "POST", "/shop/apply", { text: files[index], plan, version, reason })
        },
        { concurrency: 2 }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
      const refused = answers.find(({ status }) => status === 409)
      assert.strictEqual(refused?.body.details.reason, "version_conflict")
    })
  )

  it.effect("names all faults with their lines, and changes nothing", () =>
    Effect.gen(function* () {
      yield* begun
      const owner = yield* session("owner")
      const wrong = text.replace("usd: 1.80", "usd: 0").replace("mode: static, ip", "mode: moving, ip")
      const refused = yield* ask(owner, "POST", "/shop/plan", { text: wrong })
      assert.deepStrictEqual([refused.status, refused.body.details.reason], [409, "shop_faults"])
      assert.deepStrictEqual(
        refused.body.details.faults.map(({ field, line }: any) => [line, field]),
        [
          [12, "articles.dc-us.periods.0.usd"],
          [14, "articles.dc-de.mode"]
        ]
      )
      const noYaml = yield* ask(owner, "POST", "/shop/plan", { text: "version: [1" })
      assert.strictEqual(noYaml.body.details.reason, "shop_faults")
      // A file may be longer than the body of other operations.
      const long = yield* ask(owner, "POST", "/shop/plan", { text: `${text}#${" ".repeat(200_000)}\n` })
      assert.strictEqual(long.status, 200)
      const longest = yield* ask(owner, "POST", "/shop/plan", { text: `${text}#${" ".repeat(4 * 1024 * 1024)}\n` })
      assert.include(longest.body.details.faults[0].reason, "larger than 4 MiB")
      const above = yield* ask(owner, "POST", "/shop/plan", { text: " ".repeat(16 * 1024 * 1024) })
      assert.strictEqual(above.status, 413)
    })
  )

  it.effect("lets finance change prices alone, and others only read", () =>
    Effect.gen(function* () {
      yield* begun
      const finance = yield* session("finance")
      const viewer = yield* session("viewer")
      for (const secret of [finance, viewer])
        assert.strictEqual((yield* ask(secret, "POST", "/shop/plan", { text })).status, 403)
      assert.strictEqual((yield* ask(viewer, "POST", "/shop/price-rules/plan", { text })).status, 403)
      const planned = (yield* ask(finance, "POST", "/shop/price-rules/plan", { text: hidden })).body
      assert.include(planned.lines.join("\n"), "- gateway dc-de, Datacenter DE: no longer on sale")
      const { plan, version } = planned
      const applied = yield* ask(finance, "POST", "/shop/price-rules/apply", { text: hidden, plan, version, reason })
      assert.strictEqual(applied.status, 200)
      const { items } = (yield* ask(viewer, "GET", "/shop/price-rules")).body
      assert.deepStrictEqual(items, [{ rule: { vendor: "gateway", article: "dc-de", hidden: true }, offers: 1 }])
    })
  )

  it.effect("shows articles by kind and country, and how the prices of an offer come about", () =>
    Effect.gen(function* () {
      yield* begun
      yield* vended
      const owner = yield* session("owner")
      const rules = `${text}prices:\n  - { vendor: vendor, markup: 25%, round: 0.5 }\n  - { vendor: vendor, kind: datacenter, floor: 90 }\n  - { country: AQ, markup: 1% }\n`
      const { plan, version } = (yield* ask(owner, "POST", "/shop/plan", { text: rules })).body
      yield* ask(owner, "POST", "/shop/apply", { text: rules, plan, version, reason })

      const pages: Array<string> = []
      for (let after = ""; after !== "end";) {
        const query = after === "" ? "" : `&after=${after}`
        const { items, next } = (yield* ask(owner, "GET", `/shop/articles?kind=datacenter&limit=1${query}`)).body
        pages.push(...items.map(({ id }: any) => id))
        after = next ?? "end"
      }
      assert.deepStrictEqual(
        pages.filter((id) => id.startsWith("dc-")),
        ["dc-de", "dc-us"]
      )
      const [de] = (yield* ask(owner, "GET", "/shop/articles?country=DE&kind=datacenter&limit=1")).body.items
      assert.deepInclude(de, { id: "dc-de", pool: "de-dc", state: "on", listed: true, running: 0 })
      assert.deepStrictEqual(de.periods, [{ days: 30, name: "1 month", gb: null, price: { usd: "2.00", star: null } }])

      const sql = yield* SqlClient.SqlClient
      const [offer] = yield* sql<{ id: number }>`
        SELECT id FROM offer WHERE provider = 'vendor' AND kind = 'datacenter'
      `
      const { body } = yield* ask(owner, "GET", `/shop/offers/${offer?.id}/price`)
      const general = { vendor: "vendor", markup: "25%", round: 0.5 }
      assert.deepStrictEqual(body.prices[0].parts, [
        { part: "markup", value: "25%", rule: general },
        { part: "floor", value: "90", rule: { vendor: "vendor", kind: "datacenter", floor: 90 } },
        { part: "round", value: "0.5", rule: general }
      ])
      assert.strictEqual(body.prices[0].price.usd, "90.00")
      const reach = (yield* ask(owner, "GET", "/shop/price-rules")).body.items
      assert.deepStrictEqual(
        reach.map(({ offers, rule }: any) => [rule.vendor ?? rule.country, rule.floor ?? 0, offers]),
        [
          ["AQ", 0, 0],
          ["vendor", 0, 2],
          ["vendor", 90, 1]
        ]
      )
      assert.strictEqual((yield* ask(owner, "GET", "/shop/offers/999999/price")).status, 404)
    })
  )
})
