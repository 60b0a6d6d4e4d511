import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { reprice } from "../../support/Repricing.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"

layer(Testing.layer)("The expected price of an order", (it) => {
  it.effect("charges that price or nothing, from the wallet and from outside", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const caller = yield* Testing.buyer(100_000_000n)
      const { place } = yield* OrderPlacement
      const { code } = yield* Effect.provide(newCode({ account_limit: 9 }), PromoCodeRegistry.layer)
      const cases = [
        [{}, 1.5],
        [{ quantity: 3 }, 4.5],
        [{ promo_code: code }, 1.2],
        [{ payment_currency: "STAR", payment_method: "messenger_stars" }, 75],
        [{ payment_method: "card_gateway" }, 1.5]
      ] as const
      let paid = 0n
      for (const [fields, total] of cases) {
        for (const expected_total of [0, total + 0.01, total - 0.01]) {
          const request = yield* Testing.request({ ...fields, expected_total })
          const refused = yield* Effect.flip(place(caller, request, randomUUID()))
          assert.deepInclude(refused, { _tag: "PriceChanged" })
        }
        const key = randomUUID()
        const request = yield* Testing.request({ ...fields, expected_total: total })
        const { orders } = yield* place(caller, request, key)
        if (orders[0]?.status !== "waiting_payment") paid += BigInt(Math.round(total * 1e6))
        assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 100_000_000n - paid)
      }
    })
  )

  it.effect("says the present price, and frees the key", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const caller = yield* Testing.buyer(100_000_000n)
      const { place } = yield* OrderPlacement
      const key = randomUUID()
      const old = yield* Testing.request({ quantity: 2, expected_total: 2.5 })
      assert.deepInclude(yield* Effect.flip(place(caller, old, key)), {
        status: 409,
        details: { reason: "price_changed", total: "3.00", currency: "USD" }
      })
      yield* place(caller, yield* Testing.request({ quantity: 2, expected_total: 3 }), key)
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 97_000_000n)
    })
  )

  it.effect("does not matter to a request that is repeated after the price has changed", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const caller = yield* Testing.buyer(100_000_000n)
      const { place, placed } = yield* OrderPlacement
      for (const fields of [{}, { payment_method: "card_gateway" }]) {
        yield* reprice(100)
        const key = randomUUID()
        const request = yield* Testing.request({ ...fields, expected_total: 1.5 })
        const first = yield* place(caller, request, key)
        yield* reprice(50)
        const again = yield* place(caller, request, key)
        assert.deepStrictEqual([again.replayed, again.orders], [true, first.orders])
        const otherTab = yield* place(caller, { ...request, expected_total: 0.75 }, key)
        assert.deepStrictEqual([otherTab.replayed, otherTab.orders], [true, first.orders])
        const found = yield* placed(caller.user_id, key)
        assert.deepStrictEqual(
          found.map(({ id }) => id as string),
          first.orders.map(({ id }) => id)
        )
        const stranger = yield* Testing.buyer(0n)
        assert.deepStrictEqual(yield* placed(stranger.user_id, key), [])
        assert.deepStrictEqual(yield* placed(caller.user_id, randomUUID()), [])
      }
    })
  )
})
