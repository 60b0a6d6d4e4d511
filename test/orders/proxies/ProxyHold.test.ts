import { assert, describe, it, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { ProxyHold } from "../../../src/orders/proxies/ProxyHold.ts"
import { ProxyHoldRepo } from "../../../src/orders/proxies/ProxyHoldRepo.ts"
import * as Testing from "../../support/OrderTesting.ts"

const held = Effect.gen(function* () {
  const caller = yield* Testing.buyer(100_000_000n)
  const placement = yield* OrderPlacement
  const { orders } = yield* placement.place(caller, yield* Testing.request(), undefined)
  const id = OrderId.make(orders[0]?.id ?? "")
  const sql = yield* SqlClient.SqlClient
  const until = Effect.map(
    sql<{ operation_until: Date | null }>`SELECT operation_until FROM proxy_order WHERE id = ${id}`,
    ([row]) => row?.operation_until ?? null
  )
  return { id, until }
})

layer(Testing.layer)("A proxy that is held", (it) => {
  it.effect("is free again after any end of the operation", () =>
    Effect.gen(function* () {
      const hold = yield* ProxyHold
      const { id, until } = yield* held
      const seen = yield* hold.during(id, (order) => Effect.map(until, (until) => [order.id, until !== null]))
      assert.deepStrictEqual(seen, [id, true])
      assert.isNull(yield* until)
      assert.strictEqual(yield* Effect.flip(hold.during(id, () => Effect.fail("no"))), "no")
      assert.isNull(yield* until)
      const stuck = yield* Effect.forkChild(hold.during(id, () => Effect.andThen(until, Effect.never)))
      yield* Effect.repeat(until, { while: (until) => until === null })
      yield* Fiber.interrupt(stuck)
      assert.isNull(yield* until)
    })
  )

  it.effect("is free after a minute when its holder has died", () =>
    Effect.gen(function* () {
      const hold = yield* ProxyHold
      const repo = yield* ProxyHoldRepo
      const { id, until } = yield* held
      const now = yield* DateTime.now
      yield* repo.take(id, now, DateTime.add(now, { minutes: 1 }))
      assert.isTrue(Option.isNone(yield* repo.take(id, now, DateTime.add(now, { minutes: 2 }))))
      assert.isNotNull(yield* until)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* hold.during(id, (order) => Effect.succeed(order.id)), id)
    }).pipe(Effect.provide(ProxyHoldRepo.layer))
  )
})

describe("A second operation on a held proxy", () => {
  const busy = ProxyHold.layerNoDeps.pipe(
    Layer.provide(Layer.mock(ProxyHoldRepo)({ take: () => Effect.succeedNone, leave: () => Effect.succeed([]) }))
  )

  it.effect("waits ten seconds, then fails", () =>
    Effect.gen(function* () {
      const hold = yield* ProxyHold
      const waiting = yield* Effect.forkChild(
        Effect.flip(hold.during(OrderId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"), () => Effect.void))
      )
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ProxyBusy")
    }).pipe(Effect.provide(busy))
  )
})
