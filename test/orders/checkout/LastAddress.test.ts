import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import { Reconciliation } from "../../../src/reconciliation/Reconciliation.ts"
import { deposit, reconcile } from "../../cli/ReconcileTesting.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"

const addresses = Array.from({ length: 6 }, (_, index) => `198.51.100.${index + 1}`)
const single = ["de", "gb", "fr", "nl", "jp"].map(
  (country, index) => [`${country}-datacenter`, [`203.0.113.${index + 1}`]] as const
)
const exits = { "us-datacenter": addresses, ...Object.fromEntries(single) }

const services = Layer.provideMerge(Reconciliation.layer, TestApp.layerGateway(exits))

const customer = Effect.gen(function* () {
  const user_id = yield* Fixtures.newUser
  yield* deposit(user_id)
  const { key } = yield* ApiKeys.use((keys) => keys.create(user_id, { name: "key" }))
  return { key, user_id }
})

/** The datacenter articles over IPv4, as the catalog shows them, by country. */
const shown = Effect.gen(function* () {
  const { body } = yield* request("GET", "/v1/catalog?kind=datacenter")
  const offers: ReadonlyArray<any> = body.kinds[0].offers
  return new Map(
    offers.flatMap((offer) => (offer.ip_version === "IPv4" ? [[offer.country_code as string, offer]] : []))
  )
})

const order = Effect.fnUntraced(function* (key: string, offer_id: number) {
  const { body, status } = yield* request("POST", "/v1/orders", {
    key,
    headers: { "idempotency-key": randomUUID() },
    body: { offer_id, payment_method: "wallet" }
  })
  return status === 201 ? (body[0].status as string) : `${status} ${body.details?.reason}`
})

layer(services, { excludeTestServices: true })("The last address of a pool", (it) => {
  it.effect("is sold once of 40 simultaneous orders, and the next catalog shows that it is sold out", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customers = yield* Effect.replicateEffect(customer, 40)
      const { id } = (yield* shown).get("US")
      for (const { key } of customers.slice(0, addresses.length - 1))
        assert.strictEqual(yield* order(key, id), "provisioned")
      assert.isTrue((yield* shown).get("US").is_available)

      const outcomes = yield* Effect.forEach(customers, ({ key }) => order(key, id), { concurrency: 40 })
      assert.isFalse((yield* shown).get("US").is_available)

      assert.lengthOf(
        outcomes.filter((outcome) => outcome === "provisioned"),
        1
      )
      for (const outcome of outcomes) assert.include(["provisioned", "refunded", "409 out_of_stock"], outcome)
      const sold = yield* sql`
        SELECT host(exit_ip) AS ip, count(*)::int AS proxies FROM gateway_proxy GROUP BY exit_ip ORDER BY exit_ip
      `
      assert.deepStrictEqual(
        [...sold],
        addresses.map((ip) => ({ ip, proxies: 1 }))
      )
      const [{ spent } = { spent: null }] =
        yield* sql`SELECT sum(25000000 - balance)::bigint AS spent FROM wallet WHERE currency = 'USD'`
      assert.strictEqual(spent, BigInt(addresses.length) * 1_800_000n)
      const { code, found } = yield* reconcile()
      assert.deepStrictEqual([code, found], [0, []])
    })
  )

  it.effect("shows as sold out in the request that follows its order", () =>
    Effect.gen(function* () {
      for (const [pool] of single) {
        const country = pool.slice(0, 2).toUpperCase()
        const { key } = yield* customer
        const offer = (yield* shown).get(country)
        assert.isTrue(offer.is_available)
        assert.strictEqual(yield* order(key, offer.id), "provisioned")
        assert.isFalse((yield* shown).get(country).is_available)
        assert.strictEqual(yield* order(key, offer.id), "409 out_of_stock")
      }
    })
  )
})
