import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import { CatalogRepo } from "../../../src/catalog/CatalogRepo.ts"
import { type SalesPause, SalesPauseId } from "../../../src/catalog/SalesPause.ts"
import { SalesPauses } from "../../../src/catalog/SalesPauses.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"

/** The sale of orders in a process that hears of no change of the catalog. */
const deafPlacement = Effect.gen(function* () {
  const repo = yield* Effect.provide(CatalogRepo, CatalogRepo.layer)
  const deaf = Layer.succeed(CatalogRepo, {
    ...repo,
    onChange: (react) => Effect.scoped(Effect.andThen(react, Effect.never))
  })
  return yield* Testing.placementWith(Catalog.layerNoDeps.pipe(Layer.provide(deaf)))
})

const during = <A, E, R>(scope: SalesPause["scope"], scope_id: string | null, act: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const pauses = yield* SalesPauses
    const id = SalesPauseId.make(randomUUID())
    yield* pauses.place({ id, scope, scope_id, reason: "An outage", placed_by: "a test", hours: 24 })
    const result = yield* act
    yield* pauses.lift(id, { by: "a test", reason: "It is over" })
    return result
  })

const start = 1_000_000_000n

/** Orders, and returns the failure; nothing was charged or ordered. */
const refused = Effect.fnUntraced(function* (
  { place }: Pick<OrderPlacement["Service"], "place">,
  fields: Parameters<typeof Testing.request>[0] = {},
  key?: string
) {
  const sql = yield* SqlClient.SqlClient
  const caller = yield* Testing.buyer(start)
  const failure = yield* Effect.flip(place(caller, yield* Testing.request(fields), key))
  assert.strictEqual(yield* Testing.balanceOf(caller.user_id), start)
  assert.lengthOf(yield* sql`SELECT FROM proxy_order WHERE user_id = ${caller.user_id}`, 0)
  assert.lengthOf(yield* sql`SELECT FROM payment_intent WHERE user_id = ${caller.user_id}`, 0)
  return failure
})

const outOfStock = (failure: Effect.Success<ReturnType<typeof refused>>) => {
  assert.strictEqual(failure._tag, "OfferOutOfStock")
  assert.deepInclude(failure, { details: { reason: "out_of_stock", left: 0 } })
}

layer(Layer.provideMerge(SalesPauses.layer, Testing.layer))("An order of a paused offer", (it) => {
  it.effect("is out of stock at once in a process that has not heard of the pause, however it is paid", () =>
    Effect.gen(function* () {
      const { code: promo_code } = yield* newCode({ value: 10n }).pipe(Effect.provide(PromoCodeRegistry.layer))
      for (const fields of [{}, { quantity: 3 }, { promo_code }, { payment_method: "card_gateway" }]) {
        const placement = yield* deafPlacement
        outOfStock(yield* during("kind", "datacenter", refused(placement, fields, randomUUID())))
      }
    })
  )

  it.effect("is sold when the pause ends, with the same key, and others are sold meanwhile", () =>
    Effect.gen(function* () {
      const placement = yield* OrderPlacement
      const caller = yield* Testing.buyer(start)
      const key = randomUUID()
      const residential = { offer_id: yield* Testing.offerId("Residential") }
      const order = Effect.gen(function* () {
        const body = yield* Testing.request()
        return yield* placement.place(caller, body, key)
      })
      const other = Effect.flatMap(Testing.request(residential), (body) => placement.place(caller, body, undefined))
      const both = Effect.all([Effect.flip(order), other])
      const [failure, { orders }] = yield* during("kind", "datacenter", both)
      assert.strictEqual(failure._tag, "OfferOutOfStock")
      assert.strictEqual(orders[0]?.status, "provisioned")
      yield* Catalog.use(({ refresh }) => refresh)
      assert.strictEqual((yield* order).orders[0]?.status, "provisioned")
    })
  )

  it.effect("is refused with its price", () =>
    Effect.gen(function* () {
      const placement = yield* OrderPlacement
      const caller = yield* Testing.buyer(start)
      const body = yield* Testing.request()
      const asked = Effect.andThen(
        Catalog.use(({ refresh }) => refresh),
        Effect.flip(placement.quote(caller, body))
      )
      assert.strictEqual((yield* during("all", null, asked))._tag, "OfferOutOfStock")
    })
  )
})

/** Pauses a sale while an order waits for the lock of its wallet, and returns the failure; nothing was charged or ordered. */
const pausedWhileWaiting = Effect.fnUntraced(function* (
  scope: SalesPause["scope"],
  scope_id: string,
  fields: Parameters<typeof Testing.request>[0],
  caller: Effect.Success<ReturnType<typeof Testing.buyer>>
) {
  const sql = yield* SqlClient.SqlClient
  const placement = yield* OrderPlacement
  const { user_id } = caller
  const body = yield* Testing.request(fields)
  const [isLocked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const held = Effect.gen(function* () {
    yield* sql`SELECT FROM wallet WHERE user_id = ${user_id} FOR UPDATE`
    yield* Deferred.succeed(isLocked, undefined)
    yield* Deferred.await(goOn)
  }).pipe(sql.withTransaction)
  const holding = yield* Effect.forkChild(held)
  yield* Deferred.await(isLocked)
  const placing = yield* Effect.forkChild(Effect.flip(placement.place(caller, body, randomUUID())))
  const waits = sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%wallet%'`
  yield* Effect.repeat(waits, { until: (rows) => rows.length > 0 })
  const failure = yield* during(scope, scope_id, Effect.andThen(Deferred.succeed(goOn, undefined), Fiber.join(placing)))
  yield* Fiber.join(holding)
  assert.strictEqual(yield* Testing.balanceOf(user_id), start)
  assert.lengthOf(yield* sql`SELECT FROM proxy_order WHERE user_id = ${user_id}`, 0)
  assert.lengthOf(yield* sql`SELECT FROM payment_intent WHERE user_id = ${user_id}`, 0)
  return failure
})

layer(Layer.provideMerge(SalesPauses.layer, Testing.layer))("An order that waits for the lock of its wallet", (it) => {
  it.effect("is refused when the sale is paused meanwhile, however it is paid", () =>
    Effect.gen(function* () {
      const { code: promo_code } = yield* newCode({ value: 10n }).pipe(Effect.provide(PromoCodeRegistry.layer))
      const key = { _tag: "api_key", api_key_id: randomUUID(), scopes: null, daily_spend_limit_usd: start } as const
      const cases = [
        [{}, undefined],
        [{ quantity: 12 }, undefined],
        [{ promo_code }, undefined],
        [{}, key],
        [{ payment_method: "card_gateway" }, undefined]
      ] as const
      for (const [fields, credential] of cases) {
        const buyer = yield* Testing.buyer(start)
        const caller = credential === undefined ? buyer : { ...buyer, credential }
        outOfStock(yield* pausedWhileWaiting("kind", "datacenter", fields, caller))
      }
    })
  )

  it.effect("is refused when its payment method is paused meanwhile", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(start)
      const card = { payment_method: "card_gateway" }
      const failure = yield* pausedWhileWaiting("method", "card_gateway", card, caller)
      assert.strictEqual(failure._tag, "PaymentMethodUnavailable")
    })
  )
})

layer(Layer.provideMerge(SalesPauses.layer, Testing.layer))("A paused payment method", (it) => {
  it.effect("is unavailable for orders, and others work", () =>
    Effect.gen(function* () {
      const placement = yield* OrderPlacement
      const card = { payment_method: "card_gateway" }
      const failure = yield* during("method", "card_gateway", refused(placement, card, randomUUID()))
      assert.strictEqual(failure._tag, "PaymentMethodUnavailable")
      const caller = yield* Testing.buyer(0n)
      const crypto = yield* Testing.request({ payment_method: "crypto_gateway" })
      const { orders } = yield* during("method", "card_gateway", placement.place(caller, crypto, undefined))
      assert.strictEqual(orders[0]?.status, "waiting_payment")
      const paid = yield* placement.place(caller, yield* Testing.request(card), undefined)
      assert.strictEqual(paid.orders[0]?.status, "waiting_payment")
    })
  )
})
