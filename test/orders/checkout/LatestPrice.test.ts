import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import { CatalogRepo } from "../../../src/catalog/CatalogRepo.ts"
import type { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { reprice } from "../../support/Repricing.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"

/** The sale of orders in a process whose catalog believes to be current, and has not heard of the latest change. */
const latePlacement = Effect.gen(function* () {
  const repo = yield* Effect.provide(CatalogRepo, CatalogRepo.layer)
  const late = Layer.succeed(CatalogRepo, {
    ...repo,
    onChange: (react) => Effect.scoped(Effect.andThen(react, Effect.never))
  })
  return yield* Testing.placementWith(Catalog.layerNoDeps.pipe(Layer.provide(late)))
})

const rich = Testing.buyer(1_000_000_000n)

const paid = Effect.fnUntraced(function* (
  placement: Pick<OrderPlacement["Service"], "place">,
  fields: Parameters<typeof Testing.request>[0] = {},
  key?: string
) {
  const caller = yield* rich
  const before = yield* Testing.balanceOf(caller.user_id)
  yield* placement.place(caller, yield* Testing.request(fields), key)
  return before - (yield* Testing.balanceOf(caller.user_id))
})

layer(Testing.layer)("An order in a process that has not heard of a new price", (it) => {
  it.effect.each([
    ["lower", 50, 750_000n],
    ["higher", 200, 3_000_000n]
  ] as const)("pays the %s price, which the customer may have seen elsewhere", ([, percent, price]) =>
    Effect.gen(function* () {
      yield* reprice(100)
      const placement = yield* latePlacement
      yield* TestClock.adjust("2 hours")
      yield* reprice(percent)
      assert.strictEqual(yield* paid(placement, {}, "key"), price)
      assert.strictEqual(yield* paid(placement, { quantity: 3 }), price * 3n)
    })
  )

  it.effect("pays it with a promo code that can be used once, too", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const placement = yield* latePlacement
      yield* TestClock.adjust("2 hours")
      yield* reprice(50)
      const { code: promo_code } = yield* newCode({ value: 10n, use_limit: 1 }).pipe(
        Effect.provide(PromoCodeRegistry.layer)
      )
      assert.strictEqual(yield* paid(placement, { promo_code }), 675_000n)
    })
  )

  it.effect("is refused when the process cannot read the new price", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const placement = yield* latePlacement
      const caller = yield* rich
      // The version of the catalog does not tell of this change.
      yield* SqlClient.SqlClient.use((sql) => sql`UPDATE offer SET priced_at = priced_at + interval '1 minute'`)
      const failure = yield* Effect.flip(placement.place(caller, yield* Testing.request(), undefined))
      assert.strictEqual(failure._tag, "OfferChanged")
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 1_000_000_000n)
    })
  )
})
