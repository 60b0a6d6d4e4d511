import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { Shop } from "../../src/shop/Shop.ts"
import { datacenter, residential } from "../support/MemoryOffers.ts"
import * as OrderRows from "../support/OrderRows.ts"
import { apply, changeOf, ordered, plan, services, sharing, text } from "./ShopTesting.ts"

/** The offers of a vendor, the first with this name. */
const vend = Effect.fnUntraced(function* (name: string = datacenter.name) {
  const { changing, replace } = yield* CatalogWriter
  yield* changing(replace({ name: "vendor" }, [{ ...datacenter, name }, residential]))
})

const ruled = (...rules: ReadonlyArray<string>) =>
  `${text}prices:\n${rules.map((rule) => `  - { vendor: vendor, ${rule} }\n`).join("")}`
const named = ruled("article: dc-us, name: Fast, description: 'Near: in 1 ms'", "description: From a vendor")

const words = SqlClient.SqlClient.use(
  (sql) => sql<{ name: string; description: string | null }>`
    SELECT name, description FROM offer WHERE provider = 'vendor' ORDER BY id`
)
const vendors = [datacenter, residential].map(({ description, name }) => ({ name, description }))
const fast = { name: "Fast", description: "Near: in 1 ms" }
const described = { name: residential.name, description: "From a vendor" }
const wanted = [fast, described]

const exported = Shop.use(({ exported }) => Effect.map(exported, (file = "") => file))

const lines = (from: string, to: string) => [
  `~ vendor dc-us, ${to.split(":")[0]}`,
  `    name: ${from.split(":")[0]} → ${to.split(":")[0]}`
]

const withPlaces = (city: string) =>
  text
    .replace("articles:\n", "  home: { country: US, kind: residential, exits: machine }\narticles:\n")
    .concat(
      sharing("home-us", "home", "IPv4").replace(
        "name: home-us",
        `name: Home, places: [{ region: Ohio, city: ${city} }]`
      )
    )

layer(Layer.merge(services, Layer.provideMerge(CatalogWriter.layer, services)))(
  "The words of a vendor's offers",
  (it) => {
    it.effect(
      "are those of the rules while there are some: planned, applied, kept by syncs, exported, and restored",
      () =>
        Effect.gen(function* () {
          yield* apply(text)
          yield* vend()
          const change = [
            ...lines(datacenter.name, "Fast"),
            `    description: "${datacenter.description}" → "Near: in 1 ms"`,
            `~ vendor isp-de, ${residential.name}`,
            `    description: "${residential.description}" → "From a vendor"`
          ]
          assert.deepStrictEqual(yield* plan(named), change)
          assert.deepStrictEqual(yield* words, vendors)
          assert.deepStrictEqual(yield* apply(named), change)
          assert.deepStrictEqual(yield* words, wanted)
          yield* vend()
          assert.deepStrictEqual(yield* words, wanted)

          const file = yield* exported
          assert.deepStrictEqual(yield* apply(file), [])
          assert.strictEqual(yield* exported, file)
          assert.include(file, 'name: Fast\n    description: "Near: in 1 ms"')

          // The vendor gives another name, which shows when the rule goes, without a sync.
          yield* vend("Datacenter, renamed")
          assert.deepStrictEqual(yield* words, wanted)
          yield* apply(ruled("article: dc-us, description: 'Near: in 1 ms'", "description: From a vendor"))
          assert.deepStrictEqual(yield* words, [{ ...fast, name: "Datacenter, renamed" }, described])
          yield* vend()
          yield* apply(text)
          assert.deepStrictEqual(yield* words, vendors)
        })
    )

    it.effect.each([
      "no",
      "1.80",
      " spaces ",
      "two\n lines\n",
      "# no comment",
      `"quotes", 'quotes' and \\`,
      "&a *b",
      "long ".repeat(40),
      "ü 🚀 \u2028"
    ])("are any text, also in an export: %j", (name) =>
      Effect.gen(function* () {
        yield* vend()
        yield* apply(ruled(`article: dc-us, name: ${JSON.stringify(name)}`))
        assert.strictEqual((yield* words)[0]?.name, name)
        const file = yield* exported
        assert.deepStrictEqual(yield* apply(file), [])
        assert.strictEqual(yield* exported, file)
        yield* apply(text)
      })
    )

    it.effect("are restored after a source of an older version, which has no words", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* apply(text)
        yield* vend()
        yield* sql`UPDATE offer SET source = source - 'name' - 'description' WHERE provider = 'vendor'`
        yield* apply(named)
        assert.deepStrictEqual(yield* words, wanted)
        yield* apply(text)
        assert.deepStrictEqual(yield* words, vendors)
      })
    )

    it.effect("change by the rules alone, in one change of the catalog, without a new price or another order", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* apply(text)
        yield* vend()
        yield* ordered("dc-us")
        yield* sql.unsafe(`UPDATE proxy_order SET ${OrderRows.handedOut} WHERE status = 'paid'`)
        const state = Effect.all([
          sql`SELECT options, price_per_gb, priced_at FROM offer ORDER BY id`,
          sql`SELECT * FROM proxy_order ORDER BY id`
        ])
        const version = sql<{ version: number }>`SELECT version::int FROM catalog_version`
        const before = yield* state
        const [{ version: first } = { version: 0 }] = yield* version
        yield* Shop.use((shop) => shop.apply({ ...changeOf(named), isPricesOnly: true }))
        assert.deepStrictEqual(yield* words, wanted)
        assert.deepStrictEqual(yield* state, before)
        assert.deepStrictEqual(yield* version, [{ version: first + 1 }])
        yield* apply(text)
      })
    )

    it.effect("and all else that a plan only names are part of its id", () =>
      Effect.gen(function* () {
        yield* apply(text)
        yield* vend()
        const shop = yield* Shop
        for (const [planned, other] of [
          [named, named.replace("1 ms", "2 ms")],
          [withPlaces("Dayton"), withPlaces("Toledo")]
        ] as const) {
          const { id } = yield* shop.plan(changeOf(planned))
          const { faults } = yield* Effect.flip(shop.apply({ ...changeOf(other), plan: id }))
          assert.match(faults[0]?.reason ?? "", /^This would change something else than the plan showed/)
          assert.strictEqual((yield* shop.apply({ ...changeOf(planned), plan: id })).id, id)
        }
        yield* apply(text)
      })
    )

    it.effect("are, in the database too, those of a whole offer of a vendor", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const broken of [
          sql`INSERT INTO price_rule (name) VALUES ('Fast')`,
          sql`INSERT INTO price_rule (vendor, description) VALUES ('gateway', 'Near')`,
          sql`INSERT INTO price_rule (vendor, days, name) VALUES ('vendor', 30, 'Fast')`,
          sql`INSERT INTO price_rule (vendor, name) VALUES ('vendor', '')`
        ])
          assert.strictEqual((yield* Effect.flip(broken)).reason._tag, "ConstraintError")
      })
    )
  }
)
