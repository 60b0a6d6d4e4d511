import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import { CatalogRepo } from "../../../src/catalog/CatalogRepo.ts"
import type { Caller } from "../../../src/accounts/Caller.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import * as QuoteCleanup from "../../../src/orders/checkout/QuoteCleanup.ts"
import { QuotedPricesRepo } from "../../../src/orders/checkout/QuotedPricesRepo.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { reprice, sell } from "../../support/Repricing.ts"
import { statementsOf } from "../../support/Statements.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"

type Buyer = Caller["Service"]

const quote = Effect.fnUntraced(function* (caller: Buyer, fields: object = {}) {
  const request = yield* Testing.request(fields)
  return (yield* OrderPlacement.use((placement) => placement.quote(caller, request))).total
})

/** Orders, and answers what was paid for the order, in micro-dollars. */
const pay = Effect.fnUntraced(function* (caller: Buyer, fields: object = {}) {
  const request = yield* Testing.request(fields)
  const before = yield* Testing.balanceOf(caller.user_id)
  const { orders } = yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
  const paid = before - (yield* Testing.balanceOf(caller.user_id))
  assert.strictEqual(BigInt(Math.round(orders.reduce((sum, { total_usd }) => sum + total_usd, 0) * 1e6)), paid)
  return paid
})

const rich = Testing.buyer(1_000_000_000n)

const kept = (caller: Buyer) =>
  Effect.map(
    SqlClient.SqlClient.use((sql) => sql`SELECT FROM quoted_price WHERE user_id = ${caller.user_id}`),
    (rows) => rows.length
  )

/** The different prices that an account has paid. */
const prices = (buyer: Buyer) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ total: bigint }>`SELECT DISTINCT total FROM proxy_order WHERE user_id = ${buyer.user_id}`
  )

/** The sale of orders in a process that has lost its connection for changes of the catalog. */
const deafPlacement = Effect.gen(function* () {
  const repo = yield* Effect.provide(CatalogRepo, CatalogRepo.layer)
  const deaf = Layer.succeed(CatalogRepo, { ...repo, onChange: () => Effect.die("the connection is lost") })
  return yield* Testing.placementWith(Catalog.layerNoDeps.pipe(Layer.provide(deaf)))
})

layer(Testing.layer)("A quoted price", (it) => {
  it.effect("holds for ten minutes when the price rises, for its account only", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const [caller, other] = [yield* rich, yield* rich]
      assert.strictEqual(yield* quote(caller), 1_500_000n)
      yield* TestClock.adjust("1 minute")
      yield* reprice(200)
      assert.strictEqual(yield* pay(caller), 1_500_000n)
      assert.strictEqual(yield* pay(caller, { quantity: 3 }), 4_500_000n)
      assert.strictEqual(yield* pay(other), 3_000_000n)
      yield* TestClock.adjust("8 minutes")
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* pay(caller), 1_500_000n)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* pay(caller), 3_000_000n)
    })
  )

  it.effect("holds when the clock of the command that changed the price is half an hour slow", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* reprice(100)
      const caller = yield* rich
      assert.strictEqual(yield* quote(caller), 1_500_000n)
      yield* TestClock.adjust("1 minute")
      yield* reprice(200)
      yield* sql`UPDATE offer SET priced_at = priced_at - interval '30 minutes'`
      yield* sql`UPDATE catalog_version SET version = version + 1`
      yield* Catalog.use(({ refresh }) => refresh)
      assert.strictEqual(yield* pay(caller), 1_500_000n)
    })
  )

  it.effect("holds for its option and its currency only", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const caller = yield* rich
      yield* Fixtures.fund(caller.user_id, 1000n, "STAR")
      assert.strictEqual(yield* quote(caller, { payment_currency: "STAR" }), 75n)
      yield* TestClock.adjust("1 minute")
      yield* reprice(200)
      assert.strictEqual(yield* pay(caller), 3_000_000n)
      assert.strictEqual(yield* pay(caller, { period_days: 90 }), 8_000_000n)
      const stars = yield* Testing.request({ payment_currency: "STAR" })
      yield* OrderPlacement.use((placement) => placement.place(caller, stars, undefined))
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id, "STAR"), 925n)
    })
  )

  it.effect("is replaced by the next quote, and by the present price once that is lower", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const caller = yield* rich
      yield* quote(caller)
      yield* TestClock.adjust("1 minute")
      yield* reprice(200)
      assert.strictEqual(yield* quote(caller), 3_000_000n)
      yield* TestClock.adjust("1 minute")
      yield* reprice(300)
      assert.strictEqual(yield* pay(caller), 3_000_000n)
      yield* reprice(50)
      assert.strictEqual(yield* pay(caller), 750_000n)
      assert.strictEqual(yield* kept(caller), 1)
    })
  )

  it.effect("holds for extra traffic too", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const caller = yield* rich
      const offer_id = yield* Testing.offerId("Residential")
      assert.strictEqual(yield* quote(caller, { offer_id, bandwidth_gb: 53 }), 5_300_000n)
      yield* TestClock.adjust("1 minute")
      yield* reprice(200)
      assert.strictEqual(yield* pay(caller, { offer_id }), 3_500_000n)
      assert.strictEqual(yield* pay(caller, { offer_id, bandwidth_gb: 60 }), 9_500_000n)
    })
  )

  it.effect("does not pass to another option that takes the position of the quoted one", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const caller = yield* rich
      yield* quote(caller)
      yield* TestClock.adjust("1 minute")
      yield* sell((offer) => ({ ...offer, options: offer.options.toReversed() }))
      assert.strictEqual(yield* pay(caller, { period_days: 90 }), 4_000_000n)
    })
  )

  it.effect("refuses an order when its tariff is another one meanwhile, until the price is asked for again", () =>
    Effect.gen(function* () {
      const { place } = yield* OrderPlacement
      yield* reprice(100)
      const [caller, other] = [yield* rich, yield* rich]
      const tariff = { offer_id: yield* Testing.offerId("Mobile"), tarification_index: 0 }
      const request = yield* Testing.request(tariff)
      assert.strictEqual(yield* quote(caller, tariff), 2_000_000n)
      yield* TestClock.adjust("1 minute")
      yield* sell((offer) => ({ ...offer, options: offer.kind === "mobile" ? offer.options.slice(1) : offer.options }))
      const key = randomUUID()
      for (const wanted of [request, { ...request, tarification_index: 1 }]) {
        const refused = yield* Effect.flip(place(caller, wanted, key))
        assert.deepInclude(refused, { _tag: "OfferChanged", details: { reason: "offer_changed" } })
      }
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 1_000_000_000n)
      assert.strictEqual(yield* pay(other, tariff), 9_000_000n)
      assert.strictEqual(yield* quote(caller, tariff), 9_000_000n)
      assert.strictEqual(yield* pay(caller, tariff), 9_000_000n)
    })
  )

  it.effect("refuses an order when its period has another traffic meanwhile", () =>
    Effect.gen(function* () {
      const { place } = yield* OrderPlacement
      yield* reprice(100)
      const caller = yield* rich
      const residential = { offer_id: yield* Testing.offerId("Residential") }
      yield* quote(caller, residential)
      yield* TestClock.adjust("1 minute")
      yield* sell((offer) => ({ ...offer, options: offer.options.map((option) => ({ ...option, bandwidth_gb: 40 })) }))
      const refused = yield* Effect.flip(place(caller, yield* Testing.request(residential), undefined))
      assert.strictEqual(refused._tag, "OfferChanged")
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* pay(caller, residential), 3_500_000n)
    })
  )

  it.effect("is what another process charges, which does not listen for changes of the catalog", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      yield* TestClock.adjust("2 hours")
      const deaf = yield* deafPlacement
      const [caller, stranger] = [yield* rich, yield* rich]
      yield* reprice(50)
      assert.strictEqual(yield* quote(caller), 750_000n)
      const request = yield* Testing.request()
      for (const buyer of [caller, stranger]) yield* deaf.place(buyer, request, undefined)
      for (const buyer of [caller, stranger]) assert.deepStrictEqual(yield* prices(buyer), [{ total: 750_000n }])
    })
  )

  it.effect("refuses an order in a process that does not know the tariff that another process has quoted", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      yield* TestClock.adjust("2 hours")
      const deaf = yield* deafPlacement
      const caller = yield* rich
      const tariff = { offer_id: yield* Testing.offerId("Mobile"), tarification_index: 0 }
      yield* sell((offer) => ({ ...offer, options: offer.kind === "mobile" ? offer.options.slice(1) : offer.options }))
      assert.strictEqual(yield* quote(caller, tariff), 9_000_000n)
      const request = yield* Testing.request(tariff)
      assert.strictEqual((yield* Effect.flip(deaf.place(caller, request, undefined)))._tag, "OfferChanged")
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 1_000_000_000n)
    })
  )

  it.effect("is what a promo code reduces, and what a key with a daily limit pays", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { user_id } = yield* rich
      const credential = { _tag: "api_key" as const, api_key_id: randomUUID(), scopes: null }
      const caller = { user_id, credential: { ...credential, daily_spend_limit_usd: 100_000_000n } }
      const { code: promo_code } = yield* Effect.provide(newCode(), PromoCodeRegistry.layer)
      assert.strictEqual(yield* quote(caller, { promo_code }), 1_200_000n)
      yield* TestClock.adjust("1 minute")
      yield* reprice(200)
      assert.strictEqual(yield* pay(caller), 1_500_000n)
      assert.strictEqual(yield* pay(caller, { promo_code }), 1_200_000n)
    })
  )

  it.effect("is what simultaneous orders pay while the price changes", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const [caller, stranger] = [yield* rich, yield* rich]
      yield* quote(caller)
      yield* TestClock.adjust("1 minute")
      const request = yield* Testing.request()
      const { place } = yield* OrderPlacement
      const orders = (buyer: Buyer) => Array.from({ length: 15 }, () => place(buyer, request, undefined))
      yield* Effect.all([...orders(caller), reprice(200), ...orders(stranger)], { concurrency: 8 })
      assert.deepStrictEqual(yield* prices(caller), [{ total: 1_500_000n }])
      for (const { total } of yield* prices(stranger)) assert.include([1_500_000n, 3_000_000n], total)
    })
  )

  it.effect("costs a quote one statement, and an order one only while a quote may hold", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      yield* TestClock.adjust("70 minutes")
      const caller = yield* rich
      const request = yield* Testing.request()
      const { place, quote } = yield* OrderPlacement
      assert.deepStrictEqual(yield* statementsOf(quote(caller, request)), ["quoted_price"])
      const usual = yield* statementsOf(place(caller, request, undefined))
      assert.lengthOf(usual, 2)
      yield* reprice(200)
      assert.deepStrictEqual(yield* statementsOf(place(caller, request, undefined)), ["", ...usual])
      yield* TestClock.adjust("70 minutes")
      assert.deepStrictEqual(yield* statementsOf(place(caller, request, undefined)), usual)
    })
  )

  it.effect("is removed when it no longer holds, and with its account", () =>
    Effect.gen(function* () {
      const [old, recent] = [yield* rich, yield* Testing.buyer(0n)]
      yield* quote(old)
      yield* TestClock.adjust("9 minutes")
      yield* quote(recent)
      yield* TestClock.adjust("1 minute")
      yield* Effect.provide(QuoteCleanup.run, QuotedPricesRepo.layer)
      assert.deepStrictEqual([yield* kept(old), yield* kept(recent)], [0, 1])
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM user_account WHERE id = ${recent.user_id}`
      assert.strictEqual(yield* kept(recent), 0)
    })
  )
})
