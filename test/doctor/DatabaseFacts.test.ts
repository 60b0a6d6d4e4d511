import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { DatabaseFacts } from "../../src/doctor/DatabaseFacts.ts"
import { HeldPortsRepo } from "../../src/gateway/HeldPortsRepo.ts"
import { Shop } from "../../src/shop/Shop.ts"
import { newUser } from "../support/Fixtures.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const read = Effect.provide(
  DatabaseFacts.use(({ read }) => read),
  Layer.fresh(DatabaseFacts.layer)
)

const outside = HeldPortsRepo.layer.pipe(Layer.provideMerge(TestDatabase.layer))

const mailDue = Effect.fnUntraced(function* (at: DateTime.Utc) {
  const sql = yield* SqlClient.SqlClient
  const due = { next_attempt_at: DateTime.toDate(at), created_at: DateTime.toDate(at) }
  const mail = { id: randomUUID(), to_address: "me@example.com", kind: "password_reset", attempt: 0, ...due }
  yield* sql`INSERT INTO email_outbox ${sql.insert(mail)}`
})

layer(outside, { excludeTestServices: true })("The facts of the database", (it) => {
  it.effect("are those of the server, its role and the connected gateways", () =>
    Effect.gen(function* () {
      yield* HeldPorts.hold({ first: 20_000, last: 20_003 }, { place: "gate 0.0.0.0" })
      const facts = yield* read
      assert.deepStrictEqual(facts.gateways, ["gate 0.0.0.0"])
      // The server of the tests has these settings (test/support/postgres.ts).
      assert.deepStrictEqual(facts.unsafe_settings, ["fsync", "full_page_writes", "synchronous_commit"])
      assert.deepStrictEqual([facts.is_superuser, facts.connections], [true, 300])
      assert.deepStrictEqual([facts.sold_ports, facts.overdue], [[], []])
      assert.isBelow(facts.clock_off_seconds, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("count the work that is due for over ten minutes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const now = yield* DateTime.now
      const minutesAgo = (minutes: number) => DateTime.subtract(now, { minutes })
      yield* mailDue(minutesAgo(5))
      yield* mailDue(minutesAgo(11))
      yield* mailDue(minutesAgo(12))
      yield* OrderRows.offer
      const user = yield* newUser
      for (const at of [minutesAgo(5), minutesAgo(11)])
        yield* sql`INSERT INTO proxy_order ${sql.insert(OrderRows.paidOrder(randomUUID(), user, at))}`
      assert.deepStrictEqual((yield* read).overdue, [
        { what: "paid orders", count: 1 },
        { what: "mails", count: 2 }
      ])
    })
  )
})

layer(TestDatabase.layer)("The facts of the shop", (it) => {
  it.effect("name what is sold falsely or at a loss", () =>
    Effect.gen(function* () {
      const none = yield* read
      assert.deepStrictEqual([none.is_demo, none.offers_on_sale, none.machine_goods], [false, 0, []])
      const { articles, pools } = GatewayShop.demo.shop
      const us = articles["datacenter-ipv4-us"]!
      const [month] = us.periods
      yield* GatewayShop.apply({
        ...GatewayShop.demo.shop,
        pools: { ...pools, "us-datacenter": { country: "US", kind: "datacenter", exits: ["203.0.113.6"] } },
        articles: {
          "dc-us": { ...us, periods: [{ ...month!, cost: month!.usd }] },
          "dc-us-6": { ...us, ip_version: "IPv6" },
          "isp-us": { ...articles["residential-ipv4-us"]!, traffic: { usd: 10_000n, cost: 10_001n } },
          "mobile-us": articles["mobile-ipv4-us"]!,
          "mobile-de": { ...articles["mobile-ipv4-de"]!, state: "renew_only" }
        }
      }).pipe(Effect.provide(Shop.layer))
      const facts = yield* read
      assert.deepStrictEqual(facts.exits, ["203.0.113.6"])
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO exit_address (ip, pool, state) VALUES ('203.0.113.7', 'us-datacenter', 'draining')`
      assert.deepStrictEqual((yield* read).exits, ["203.0.113.6"])
      assert.deepStrictEqual(facts.machine_goods, ["US mobile", "US residential"])
      assert.deepStrictEqual(facts.machine_versions, ["IPv4"])
      assert.deepStrictEqual(facts.articles_without_address, ["dc-us-6"])
      assert.deepStrictEqual(facts.losing_offers, ["gateway isp-us"])
      assert.strictEqual(facts.offers_on_sale, 4)
    })
  )
})

layer(TestDatabase.layer)("The clock of the database", (it) => {
  it.effect("is compared with the clock of this machine, which the test sets to 1970", () =>
    Effect.gen(function* () {
      const years = (yield* read).clock_off_seconds / (365 * 86_400)
      assert.isAbove(years, 50)
    })
  )
})
