import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as OrderRows from "../support/OrderRows.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { Shop } from "../../src/shop/Shop.ts"
import { held } from "../support/Locks.ts"
import { datacenter, residential } from "../support/MemoryOffers.ts"
import { scaled } from "../support/Repricing.ts"
import { statementsOf } from "../support/Statements.ts"
import { apply, catalog, changeOf, faultsOf, open, ordered, plan, ruleOf, services, text } from "./ShopTesting.ts"

/** Offers of a vendor at this percentage of their prices. */
const vend = Effect.fnUntraced(function* (percent: number) {
  const { changing, replace } = yield* CatalogWriter
  const offers = [datacenter, residential].map((offer) => scaled(offer, percent))
  yield* changing(replace({ name: "vendor", markup: 1000 }, offers))
})

const rules = `${text}prices:\n  - { vendor: vendor, country: DE, markup: 30% }\n  - { kind: datacenter, floor: 1.90 }\n`

/** Reads how PostgreSQL runs each statement of an effect that only reads. */
const explained = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
  const transform: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      statements.push(statement.compile())
      return statement
    })
  yield* Effect.provideService(effect, Statement.CurrentTransformer, transform)
  return yield* Effect.forEach(
    statements.filter(([text]) => /^\s*(SELECT|WITH)/.test(text)),
    ([text, parameters]) =>
      Effect.map(sql.unsafe(`EXPLAIN ${text}`, [...parameters]), (rows) =>
        rows.map((row) => (row as Record<string, string>)["QUERY PLAN"]).join("\n")
      )
  )
})

/** Gives each article of the gateway its part of 100,000 orders, of which a tenth runs. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const article of ["dc-us", "dc-de"]) yield* ordered(article)
  yield* sql`ALTER TABLE proxy_order DISABLE TRIGGER USER`
  const columns = (yield* sql<{ name: string }>`
    SELECT column_name AS name FROM information_schema.columns
    WHERE table_name = 'proxy_order' AND is_generated = 'NEVER' AND column_name <> 'id'
  `).map(({ name }) => `"${name}"`)
  yield* sql.unsafe(`
    INSERT INTO proxy_order (id, ${columns.join()})
    SELECT gen_random_uuid(), ${columns.join()}
    FROM (SELECT DISTINCT ON (offer_id) * FROM proxy_order WHERE status = 'paid') paid, generate_series(1, 50000)
  `)
  yield* sql.unsafe(`
    UPDATE proxy_order SET ${OrderRows.handedOut}
    WHERE status = 'paid' AND id::text < '1'
  `)
  yield* sql`ALTER TABLE proxy_order ENABLE TRIGGER USER`
  yield* sql`VACUUM ANALYZE proxy_order`
})

/** The file with the German article in this state. */
const state = (state: string) => text.replace("name: Datacenter DE,", `name: Datacenter DE, state: ${state},`)
const dearer = (file: string) => file.replace("usd: 2 }", "usd: 3 }")

/** The file with an article of a pool of this country. */
const file = (country: string, name = "at-dc") =>
  text
    .replace("articles:\n", `  ${name}: { country: ${country}, kind: datacenter, exits: [203.0.113.77] }\narticles:\n`)
    .concat(
      `  dc-at: { pool: ${name}, mode: static, ip_version: IPv4, name: Datacenter AT, periods: [{ days: 30, name: 1 month, usd: 2 }] }\n`
    )

layer(Layer.merge(services, Layer.provideMerge(CatalogWriter.layer, services)))("A plan of the shop", (it) => {
  it.effect("shows what apply changes, also of vendors, and of a service without its gateway", () =>
    Effect.gen(function* () {
      yield* apply(text)
      yield* vend(100)
      for (const isSelling of [true, false]) {
        const change = { ...changeOf(rules), isSelling }
        const planned = yield* Shop.use((shop) => shop.plan(change))
        assert.include(
          planned.lines.join("\n"),
          "vendor isp-de, Residential ISP, Germany\n    1 month (30 days) with 50 GB"
        )
        assert.deepStrictEqual(yield* Shop.use((shop) => shop.apply(change)), planned)
        yield* apply(text)
      }
    })
  )

  it.effect("waits for no sale and no other change, and writes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* apply(text)
      const before = yield* catalog
      // What a sale of the last address and an apply lock.
      const { open, running } = yield* held(
        Effect.andThen(
          sql`SELECT pg_advisory_xact_lock(hashtext('gateway_proxy'))`,
          sql`LOCK TABLE catalog_version, offer, gateway_article, exit_pool, exit_address IN EXCLUSIVE MODE`
        )
      )
      const statements = yield* statementsOf(plan(rules))
      assert.isAbove(statements.length, 5)
      assert.deepStrictEqual(new Set(statements), new Set([""]))
      assert.isDefined(yield* Shop.use(({ exported }) => exported))
      yield* open
      yield* Fiber.await(running)
      assert.deepStrictEqual(yield* catalog, before)
    })
  )

  it.effect(
    "is refused by apply when something else would change by then, but not for orders that came meanwhile",
    () =>
      Effect.gen(function* () {
        const shop = yield* Shop
        yield* apply(text)
        yield* vend(100)
        for (const isPricesOnly of [true, false]) {
          const change = { ...changeOf(rules), isPricesOnly }
          const { id } = yield* shop.plan(change)
          yield* vend(110)
          const before = yield* catalog
          const { faults } = yield* Effect.flip(shop.apply({ ...change, plan: id }))
          assert.match(
            faults.map(({ reason }) => reason).join(),
            /^This would change something else than the plan showed/
          )
          assert.deepStrictEqual(yield* catalog, before)
          const again = yield* shop.plan(change)
          assert.notStrictEqual(again.id, id)
          yield* ordered("dc-us")
          assert.strictEqual((yield* shop.apply({ ...change, plan: again.id })).id, again.id)
          yield* apply(text)
          yield* vend(100)
        }
      })
  )

  it.effect("says what becomes of running orders", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* apply(text)
      yield* ordered("dc-de")
      yield* sql.unsafe(`UPDATE proxy_order SET ${OrderRows.handedOut} WHERE external_id = 'dc-de'`)
      const running = Effect.fnUntraced(function* (file: string) {
        const lines = yield* plan(file)
        return lines.filter((line) => / order|dc-de|→/.test(line))
      })
      const price = "    1 month (30 days): 2.00 USD → 3.00 USD"
      assert.deepStrictEqual(yield* running(dearer(text)), [
        "~ gateway dc-de, Datacenter DE",
        price,
        "    1 running order keeps what it paid for"
      ])
      assert.deepStrictEqual(yield* running(dearer(state("renew_only"))), [
        "- gateway dc-de, Datacenter DE: no longer on sale",
        price,
        "    1 running order can still be extended"
      ])
      yield* apply(state("renew_only"))
      assert.deepStrictEqual(yield* running(dearer(text)), [
        "+ gateway dc-de, Datacenter DE",
        price,
        "    1 running order keeps what it paid for"
      ])
      assert.deepStrictEqual(yield* running(text), [
        "+ gateway dc-de, Datacenter DE",
        "    1 running order keeps what it paid for"
      ])
      assert.deepStrictEqual(yield* running(state("off")), [
        "- gateway dc-de, Datacenter DE: no longer sold for renewals",
        "    1 running order cannot be extended any more"
      ])
      yield* apply(state("off"))
      assert.deepStrictEqual(yield* running(text), [
        "+ gateway dc-de, Datacenter DE",
        "    1 running order can be extended again"
      ])
      assert.lengthOf(yield* plan(state("off") + ruleOf("markup: 5%")), 1)
      yield* apply(text)
    })
  )

  it.effect("and a change mend a wrong country or kind until the first order, with the offer under another id", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const offers = sql<{ id: number; country_code: string }>`
        SELECT id, country_code FROM offer WHERE external_id = 'dc-at'`
      yield* apply(file("AU"))
      const [wrong] = yield* offers
      assert.match(
        (yield* faultsOf(file("AT"))).join(),
        /^5 pools\.at-dc: .* give the pool another name here and in its/
      )
      assert.deepStrictEqual(yield* plan(file("AT", "at-dc-2")), [
        "+ 203.0.113.77 is sold by the pool at-dc-2",
        "- 203.0.113.77 is no longer sold by the pool at-dc",
        "~ gateway dc-at, Datacenter AT",
        "    country: AU → AT",
        "    pool: at-dc → at-dc-2"
      ])
      yield* apply(file("AT", "at-dc-2"))
      const [right] = yield* offers
      assert.strictEqual(right?.country_code, "AT")
      assert.notStrictEqual(right?.id, wrong?.id)
      // The wrong pool has gone, so its name is free.
      yield* apply(file("AT"))
      const { exit_ip } = yield* open("dc-at")
      assert.strictEqual(exit_ip, "203.0.113.77")
      const moved = file("AU", "au-dc").replace("[203.0.113.77]", "machine")
      assert.match(
        (yield* faultsOf(moved)).join(),
        /articles\.dc-at: Customers have ordered the article, so it keeps its kind, .* give this one another name, and the old one goes off sale/
      )
      yield* sql`UPDATE gateway_proxy SET status = 'closed' WHERE article = 'dc-at'`
      yield* ordered("dc-at")
      assert.match((yield* faultsOf(moved)).join(), /articles\.dc-at: Customers have ordered/)
      // The old article goes, the new one comes.
      const renamed = moved.replace("dc-at:", "dc-au:")
      assert.include((yield* apply(renamed)).join("\n"), "+ gateway dc-au, Datacenter AT")
    })
  )

  it.effect(
    "and a change read no whole table of 100,000 orders",
    () =>
      Effect.gen(function* () {
        yield* apply(text)
        yield* fill
        const plans = yield* explained(plan(rules))
        const ofOrders = plans.filter((found) => found.includes("proxy_order"))
        assert.lengthOf(ofOrders, 2)
        for (const found of ofOrders) {
          assert.include(found, "proxy_order_of_offer")
          assert.notInclude(found, "Seq Scan on proxy_order")
        }
        assert.match((yield* plan(rules)).join(), /\d{4} running orders keep what they paid for/)
      }),
    60_000
  )
})
