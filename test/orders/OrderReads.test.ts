import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { randomUUID } from "node:crypto"
import { OrderPlacement } from "../../src/orders/checkout/OrderPlacement.ts"
import { OrderId } from "../../src/orders/Order.ts"
import { Orders } from "../../src/orders/Orders.ts"
import * as Testing from "../support/OrderTesting.ts"
import { statementsOf } from "../support/Statements.ts"

layer(Testing.layer, { excludeTestServices: true })("Concurrent reads of orders", (it) => {
  it.effect("share statements, and each gets its own answer", () =>
    Effect.gen(function* () {
      const { place } = yield* OrderPlacement
      const { details } = yield* Orders
      const body = yield* Testing.request({ quantity: 5 })
      const [owner, other] = [yield* Testing.buyer(10_000_000n), yield* Testing.buyer(10_000_000n)]
      const own = (yield* place(owner, body, undefined)).orders.map(({ id }) => OrderId.make(id))
      const foreign = (yield* place(other, body, undefined)).orders.map(({ id }) => OrderId.make(id))
      const ids = [...own, OrderId.make(randomUUID()), ...foreign, ...own]
      const found: Array<string> = []
      const statements = yield* statementsOf(
        Effect.forEach(
          ids,
          (id, n) =>
            Effect.map(Effect.result(details(owner.user_id, id)), (result) => {
              found[n] = Result.isSuccess(result) ? result.success.id : result.failure._tag
            }),
          { concurrency: "unbounded", discard: true }
        )
      )
      assert.deepStrictEqual(found, [...own, "OrderNotFound", ...foreign.map(() => "OrderNotYours"), ...own])
      assert.isBelow(statements.length, ids.length)
    })
  )
})
