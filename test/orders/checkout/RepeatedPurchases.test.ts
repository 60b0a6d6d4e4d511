import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"

const services = Layer.provideMerge(PromoCodeRegistry.layer, Testing.layer)

/** Sends the same request 20 times at once with one key, and returns the different answers and the new balance. */
const together = Effect.fnUntraced(function* (balance: bigint, fields: object, key: string) {
  const caller = yield* Testing.buyer(balance)
  const { place } = yield* OrderPlacement
  const body = yield* Testing.request(fields)
  const placed = yield* Effect.all(
    Array.from({ length: 20 }, () => Effect.result(place(caller, body, key))),
    { concurrency: "unbounded" }
  )
  const answers = placed.map((one) => (Result.isSuccess(one) ? JSON.stringify(one.success.orders) : one.failure._tag))
  const first = placed.filter((one) => Result.isSuccess(one) && !one.success.replayed)
  const left = yield* Testing.balanceOf(caller.user_id)
  return { caller, body, first: first.length, answers: [...new Set(answers)], left }
})

layer(services, { excludeTestServices: true })("Requests with one key", (it) => {
  it.effect("get one answer at the same time when the wallet can pay only once", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        const { answers, first, left } = yield* together(1_500_000n, {}, "once")
        assert.deepStrictEqual([answers.length, first, left], [1, 1, 0n])
        assert.include(answers[0], "provisioned")
      }
    })
  )

  it.effect("get one answer at the same time when their promo code may be used once", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        const { code } = yield* newCode({ use_limit: 1 })
        const { answers, first, left } = yield* together(10_000_000n, { promo_code: code }, "promo")
        assert.deepStrictEqual([answers.length, first, left], [1, 1, 8_800_000n])
      }
    })
  )

  it.effect("are all refused when the wallet cannot pay, and leave the key free", () =>
    Effect.gen(function* () {
      const { answers, body, caller } = yield* together(1_000_000n, {}, "poor")
      assert.deepStrictEqual(answers, ["InsufficientBalance"])
      const claims = yield* SqlClient.SqlClient.use(
        (sql) => sql`SELECT key FROM idempotency_key WHERE user_id = ${caller.user_id}`
      )
      assert.deepStrictEqual(claims, [])
      const refused = yield* Effect.flip(
        OrderPlacement.use(({ place }) => place(caller, { ...body, quantity: 2 }, "poor"))
      )
      assert.strictEqual(refused._tag, "InsufficientBalance")
    })
  )

  it.effect("learn that the key is used before they learn that the offer is unknown", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const { place } = yield* OrderPlacement
      const body = yield* Testing.request()
      yield* place(caller, body, "first")
      // This process has not seen the new key yet, so nothing but the refusal makes it look.
      yield* SqlClient.SqlClient.use(
        (sql) => sql`UPDATE idempotency_key SET key = 'used' WHERE user_id = ${caller.user_id}`
      )
      const unknown = { ...body, offer_id: 999_999 }
      assert.strictEqual((yield* Effect.flip(place(caller, unknown, "used")))._tag, "IdempotencyKeyReused")
      assert.strictEqual((yield* Effect.flip(place(caller, unknown, "free")))._tag, "OfferNotFound")
    })
  )
})
