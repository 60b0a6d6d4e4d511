import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Caller } from "../../../src/accounts/Caller.ts"
import { OrderPaymentsRepo } from "../../../src/orders/checkout/OrderPaymentsRepo.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { QuotedPricesRepo } from "../../../src/orders/checkout/QuotedPricesRepo.ts"
import { OrdersRepo } from "../../../src/orders/OrdersRepo.ts"
import { VerifiedBuyers } from "../../../src/wallet/VerifiedBuyers.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import * as Locks from "../../support/Locks.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { statementsOf } from "../../support/Statements.ts"

/** What the sale of orders builds for itself. */
const own = Layer.mergeAll(OrderPaymentsRepo.layer, QuotedPricesRepo.layer, VerifiedBuyers.layer)

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

  it.effect("each get their own outcome", () =>
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

  it.effect("do not wait for a key that another transaction of its account has claimed", () =>
    Effect.gen(function* () {
      const place = yield* placing
      const sql = yield* SqlClient.SqlClient
      const [claiming, free] = (yield* buyers(10, 10)) as Array<Caller["Service"]>
      const held = yield* Locks.held(sql`
        INSERT INTO idempotency_key (user_id, operation, key, request_hash, reference, busy_until, expires_at)
        VALUES (${claiming!.user_id}, 'orders.create', 'key', 'other', '[]', 'epoch', '2100-01-01')
      `)
      const waiting = yield* Effect.forkChild(Effect.result(place(claiming!, "key")))
      const bought = yield* place(free!, "key")
      assert.lengthOf(bought.orders, 1)
      assert.isUndefined(waiting.pollUnsafe())
      yield* held.open
      yield* Fiber.join(held.running)
      const refused = yield* Fiber.join(waiting)
      assert.strictEqual(Result.isFailure(refused) && refused.failure._tag, "IdempotencyKeyReused")
      assert.deepStrictEqual(yield* ordersOf(claiming!), [])
    })
  )

  it.effect("are sold once and answered although the answer of their statement is lost", () =>
    Effect.gen(function* () {
      const repo = yield* OrdersRepo
      let lost = 0
      const losing = Layer.succeed(OrdersRepo, {
        ...repo,
        purchase: (...about: Parameters<typeof repo.purchase>) =>
          Effect.tap(repo.purchase(...about), () =>
            lost++ === 0 ? Effect.die(new Error("the answer is lost")) : Effect.void
          )
      })
      const services = yield* Layer.build(Layer.fresh(Layer.provide(OrderPlacement.layerNoDeps, [losing, own])))
      const { place } = Context.get(services, OrderPlacement)
      const callers = (yield* buyers(2, 10, 10)) as Array<Caller["Service"]>
      const body = yield* Testing.request()
      const keys = [undefined, undefined, "key"]
      const placed = yield* Effect.forEach(callers, (caller, n) => place(caller, body, keys[n]), together)
      assert.strictEqual(lost, 1)
      for (const [n, caller] of callers.entries()) {
        assert.deepStrictEqual(yield* ordersOf(caller), [placed[n]!.orders[0]!.id])
        assert.isFalse(placed[n]!.replayed)
      }
      assert.deepStrictEqual(yield* Effect.forEach(callers, ({ user_id }) => Testing.balanceOf(user_id)), [
        500_000n,
        8_500_000n,
        8_500_000n
      ])
    })
  )

  it.effect("meet themselves when their statement is still committing after its answer is lost", () =>
    Effect.gen(function* () {
      const repo = yield* OrdersRepo
      let lost = 0
      let looked = 0
      const losing = Layer.succeed(OrdersRepo, {
        ...repo,
        purchase: (...about: Parameters<typeof repo.purchase>) =>
          Effect.tap(repo.purchase(...about), () =>
            lost++ === 0 ? Effect.die(new Error("the answer is lost")) : Effect.void
          ),
        // The first look comes before the commit.
        find: (id: Parameters<typeof repo.find>[0]) => (looked++ < 2 ? Effect.succeedNone : repo.find(id))
      })
      const services = yield* Layer.build(Layer.fresh(Layer.provide(OrderPlacement.layerNoDeps, [losing, own])))
      const { place } = Context.get(services, OrderPlacement)
      const callers = (yield* buyers(10, 10)) as Array<Caller["Service"]>
      const body = yield* Testing.request()
      const placed = yield* Effect.forEach(callers, (caller, n) => place(caller, body, [undefined, "key"][n]), together)
      assert.deepStrictEqual([lost > 1, looked > 2], [true, true])
      for (const [n, caller] of callers.entries()) {
        assert.deepStrictEqual(yield* ordersOf(caller), [placed[n]!.orders[0]!.id])
        assert.isFalse(placed[n]!.replayed)
        assert.strictEqual(placed[n]!.orders[0]!.status, "provisioned")
        assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 8_500_000n)
      }
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
