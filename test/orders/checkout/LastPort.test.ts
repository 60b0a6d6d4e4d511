import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import { deposit } from "../../cli/ReconcileTesting.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"

/** The offers that the catalog shows as in stock. */
const available = Effect.gen(function* () {
  const { body } = yield* request("GET", "/v1/catalog")
  const offers: ReadonlyArray<any> = body.kinds.flatMap((kind: any) => kind.offers)
  return offers.filter((offer) => offer.is_available)
})

/** Waits, less than the ten seconds after which an instance without notifications reads the version, until all is sold out. */
const hears = ({ inStock }: Catalog["Service"]) =>
  inStock("gateway").pipe(
    Effect.filterOrFail(({ length }) => length === 0),
    Effect.retry(Schedule.spaced("20 millis")),
    Effect.timeout("8 seconds")
  )

layer(TestApp.layerGateway({}, "27200-27201"), { excludeTestServices: true })("The last port", (it) => {
  it.effect("shows everything as sold out at the next request, and in other instances when they hear of it", () =>
    Effect.gen(function* () {
      const user_id = yield* Fixtures.newUser
      yield* deposit(user_id)
      const { key } = yield* ApiKeys.use((keys) => keys.create(user_id, { name: "key" }))
      const other = Context.get(yield* Layer.build(Layer.fresh(Catalog.layer)), Catalog)
      const order = (offer_id: number) =>
        request("POST", "/v1/orders", {
          key,
          headers: { "idempotency-key": randomUUID() },
          body: { offer_id, payment_method: "wallet" }
        })

      const [one, two] = yield* available
      assert.strictEqual((yield* order(one.id)).body[0].status, "provisioned")
      assert.isAbove((yield* available).length, 1)
      assert.isAbove((yield* other.inStock("gateway")).length, 1)

      assert.strictEqual((yield* order(two.id)).body[0].status, "provisioned")
      assert.deepStrictEqual(yield* available, [])
      assert.strictEqual((yield* order(one.id)).body.details.reason, "out_of_stock")
      yield* hears(other)
    }).pipe(Effect.scoped)
  )
})
