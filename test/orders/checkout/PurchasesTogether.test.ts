import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Caller } from "../../../src/accounts/Caller.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import * as Locks from "../../support/Locks.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { statementsOf } from "../../support/Statements.ts"

const together = { concurrency: "unbounded" } as const

const placing = Effect.map(
  OrderPlacement,
  ({ place }) =>
    (caller: Caller["Service"], key: string | undefined, fields = {}) =>
      Effect.flatMap(Testing.request(fields), (body) => place(caller, body, key))
)

/** Accounts with this number of dollars each. */
const buyers = (...dollars: ReadonlyArray<number>) =>
  Effect.forEach(dollars, (amount) => Testing.buyer(BigInt(amount) * 1_000_000n))

const ordersOf = Effect.fnUntraced(function* ({ user_id }: Caller["Service"]) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string }>`SELECT id FROM proxy_order WHERE user_id = ${user_id} ORDER BY id`
  return rows.map(({ id }) => id)
})

layer(Testing.layer, { excludeTestServices: true })("Purchases of several accounts", (it) => {
  it.effect("share their statements", () =>
    Effect.gen(function* () {
      const place = yield* placing
      const callers = yield* buyers(...Array.from({ length: 20 }, () => 10))
      const statements = yield* statementsOf(Effect.forEach(callers, (caller) => place(caller, "key"), together))
      assert.isBelow(statements.length, 20)
      for (const caller of callers) {
        assert.lengthOf(yield* ordersOf(caller), 1)
        assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 8_500_000n)
      }
    })
  )

  it.effect("have each an outcome of their own", () =>
    Effect.gen(function* () {
      const place = yield* placing
      const [rich, poor, keyless, repeated, twice] = (yield* buyers(10, 1, 10, 10, 10)) as Array<Caller["Service"]>
      const elsewhere = yield* Testing.otherPlacement
      const first = yield* elsewhere.place(repeated!, yield* Testing.request(), "key")
      const several = { quantity: 3 }
      const requests = [
        place(rich!, "key", several),
        place(poor!, "key"),
        place(keyless!, undefined),
        place(repeated!, "key"),
        place(twice!, "one"),
        place(twice!, "two", several),
        place(twice!, "one")
      ]
      const outcomes = yield* Effect.all(requests.map(Effect.result), together)
      const found = outcomes.map((outcome) =>
        Result.isFailure(outcome) ? outcome.failure._tag : outcome.success.orders.length
      )
      assert.deepStrictEqual(found, [3, "InsufficientBalance", 1, 1, 1, 3, 1])
      const idsOf = (n: number) => outcomes[n]!.pipe(Result.getOrThrow).orders.map(({ id }) => id)
      assert.deepStrictEqual(
        idsOf(3),
        first.orders.map(({ id }) => id)
      )
      assert.deepStrictEqual(idsOf(4), idsOf(6))
      assert.deepStrictEqual(yield* ordersOf(rich!), idsOf(0).toSorted())
      assert.deepStrictEqual(yield* ordersOf(poor!), [])
      assert.deepStrictEqual(yield* ordersOf(twice!), [...idsOf(4), ...idsOf(5)].toSorted())
      const balances = yield* Effect.forEach([rich!, poor!, keyless!, repeated!, twice!], ({ user_id }) =>
        Testing.balanceOf(user_id)
      )
      assert.deepStrictEqual(balances, [5_500_000n, 1_000_000n, 8_500_000n, 8_500_000n, 4_000_000n])
    })
  )

  it.effect("do not wait for the locked wallet of another account", () =>
    Effect.gen(function* () {
      const place = yield* placing
      const [locked, free] = (yield* buyers(10, 10)) as Array<Caller["Service"]>
      const held = yield* Locks.held(Wallets.use(({ lock }) => lock(locked!.user_id)))
      const waiting = yield* Effect.forkChild(place(locked!, "key"))
      const bought = yield* place(free!, "key")
      assert.lengthOf(bought.orders, 1)
      assert.deepStrictEqual(yield* ordersOf(locked!), [])
      yield* held.open
      yield* Fiber.join(held.running)
      assert.lengthOf((yield* Fiber.join(waiting)).orders, 1)
    })
  )

  it.effect("of one wallet spend each dollar once", () =>
    Effect.gen(function* () {
      const place = yield* placing
      const others = yield* buyers(...Array.from({ length: 10 }, () => 10))
      const [caller] = yield* buyers(10)
      const requests = others.flatMap((other, n) => [place(other, "key"), place(caller!, `key-${n}`)])
      const outcomes = yield* Effect.all(requests.map(Effect.result), together)
      assert.lengthOf(outcomes.filter(Result.isSuccess), 10 + 6)
      assert.lengthOf(yield* ordersOf(caller!), 6)
      assert.strictEqual(yield* Testing.balanceOf(caller!.user_id), 1_000_000n)
    })
  )
})
