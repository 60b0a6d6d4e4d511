import { NodeCrypto } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import * as CatalogSync from "../../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../../src/catalog/CatalogWriter.ts"
import { Flags } from "../../../src/flags/Flags.ts"
import { PromoCodePreviewApi } from "../../../src/orders/checkout/PromoCodePreviewApi.ts"
import * as PromoCodePreviewHttp from "../../../src/orders/checkout/PromoCodePreviewHttp.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import { PromoCodes } from "../../../src/wallet/promo-codes/PromoCodes.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { datacenter, mobile, residential } from "../../support/MemoryOffers.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { layerOf, request } from "../../support/TestServer.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"

const synced = Layer.effectDiscard(
  Effect.andThen(
    CatalogSync.run,
    Catalog.use(({ refresh }) => refresh)
  )
).pipe(Layer.provide(CatalogWriter.layer))

const world = layerOf(
  HttpApi.make("proxy-rental").add(PromoCodePreviewApi).prefix("/v1"),
  PromoCodePreviewHttp.layer
).pipe(
  Layer.provideMerge(synced),
  Layer.provideMerge([Catalog.layer, PromoCodes.layer, PromoCodeRegistry.layer]),
  Layer.provideMerge(Flags.layer),
  Layer.provideMerge([
    TestDatabase.layer,
    MemoryProvider.layerOf({ offers: [datacenter, { ...residential, protocols: ["SOCKS5"] }, mobile] }),
    NodeCrypto.layer
  ])
)

const offerId = Effect.fnUntraced(function* (kind: string) {
  const { body } = yield* Catalog.use((catalog) => catalog.answer({ currency: "USD", is_available: false }))
  const { kinds } = JSON.parse(new TextDecoder().decode(body))
  return kinds.find((of: any) => of.kind === kind).offers[0].id as number
})

const preview = Effect.fnUntraced(function* (
  query: Record<string, string | number>,
  credential: { user?: string; key?: string } = {}
) {
  const user = yield* Fixtures.newUser
  const given = "user" in credential || "key" in credential ? credential : { user }
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return yield* request("GET", `/v1/promo-codes/preview?${text}`, given)
})

layer(world)("GET /promo-codes/preview", (it) => {
  it.effect("answers the discount of a code on an order, and does not use the code", () =>
    Effect.gen(function* () {
      const offer_id = yield* offerId("datacenter")
      const user = yield* Fixtures.newUser
      yield* newCode({ code: "SPRING", use_limit: 1, expires_at: DateTime.makeUnsafe("2027-01-01") })
      const query = { code: "spring", offer_id, quantity: 2, period_days: 90 }
      yield* preview(query, { user })
      const { body, status } = yield* preview(query, { user })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        code: "SPRING",
        kind: "percent",
        value: 20,
        currency: "USD",
        unit_price: 4,
        total: 8,
        discount: 1.6,
        total_after: 6.4,
        expires_at: "2027-01-01T00:00:00.000Z",
        uses_left: 1
      })
    })
  )

  it.effect("shows a fixed amount in dollars, also for an order in stars", () =>
    Effect.gen(function* () {
      const offer_id = yield* offerId("datacenter")
      const { code } = yield* newCode({ kind: "fixed", value: 500_000n, account_limit: 3 })
      const dollars = yield* preview({ code, offer_id })
      assert.deepInclude(dollars.body, { kind: "fixed", value: 0.5, total: 1.5, discount: 0.5, total_after: 1 })
      assert.deepInclude(dollars.body, { expires_at: null, uses_left: 3 })
      const stars = yield* preview({ code, offer_id, currency: "STAR" })
      assert.deepInclude(stars.body, { value: 0.5, currency: "STAR", unit_price: 75, discount: 25, total_after: 50 })
    })
  )

  it.effect("prices a tariff of a mobile offer, and an offer with only one protocol", () =>
    Effect.gen(function* () {
      const { code } = yield* newCode()
      const byTariff = yield* preview({ code, offer_id: yield* offerId("mobile"), tarification_index: 1 })
      assert.deepInclude(byTariff.body, { unit_price: 9, discount: 1.8 })
      const { body } = yield* preview({ code, offer_id: yield* offerId("residential") })
      assert.deepInclude(body, { unit_price: 3.5, discount: 0.7 })
    })
  )

  it.effect("refuses an impossible order, and names the wrong field", () =>
    Effect.gen(function* () {
      const offer_id = yield* offerId("datacenter")
      const { code } = yield* newCode()
      const wrong = [
        [{ offer_id }, 422, "code"],
        [{ code }, 422, "offer_id"],
        [{ code: "NO-SUCH", offer_id }, 422, "code"],
        [{ code: "a\u0000b", offer_id }, 422, "code"],
        [{ code: "", offer_id }, 422, "code"],
        [{ code, offer_id: "1e1" }, 422, "offer_id"],
        [{ code, offer_id: -1 }, 422, "offer_id"],
        [{ code, offer_id: "99999999999999999999" }, 422, "offer_id"],
        [{ code, offer_id, quantity: 0 }, 422, "quantity"],
        [{ code, offer_id, quantity: 101 }, 422, "quantity"],
        [{ code, offer_id, period_days: 31 }, 422, "period_days"],
        [{ code, offer_id, tarification_index: 0 }, 422, "tarification_index"],
        [{ code, offer_id: yield* offerId("mobile") }, 422, "tarification_index"],
        [{ code, offer_id, currency: "EUR" }, 422, "currency"],
        [{ code, offer_id: yield* offerId("residential"), currency: "STAR" }, 400, undefined],
        [{ code, offer_id: 999_999 }, 404, undefined]
      ] as const
      for (const [query, expected, field] of wrong) {
        const { body, status } = yield* preview(query)
        assert.deepStrictEqual([query, status], [query, expected])
        if (field !== undefined) assert.deepStrictEqual(body.detail[0].loc, ["query", field], JSON.stringify(query))
      }
    })
  )

  it.effect("answers accounts, and keys with `account:read`", () =>
    Effect.gen(function* () {
      const query = { code: (yield* newCode()).code, offer_id: yield* offerId("datacenter") }
      const user = yield* Fixtures.newUser
      assert.strictEqual((yield* preview(query, { user: "nobody" })).status, 401)
      assert.strictEqual((yield* preview(query, { key: user })).status, 200)
      assert.strictEqual((yield* preview(query, { key: `${user};account:read` })).status, 200)
      const scoped = yield* preview(query, { key: `${user};orders:read` })
      assert.deepStrictEqual([scoped.status, scoped.body.details], [403, { required_scope: "account:read" }])
    })
  )
})
