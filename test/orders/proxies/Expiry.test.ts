import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { Orders } from "../../../src/orders/Orders.ts"
import * as Testing from "../../support/OrderTesting.ts"

layer(Testing.layer)("Expiry", (it) => {
  it.effect("moves a proxy from active to expiring to expired, together with its order", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const placement = yield* OrderPlacement
      const { orders } = yield* placement.place(caller, yield* Testing.request(), undefined)
      const id = OrderId.make(orders[0]?.id ?? "")
      const statuses = Effect.gen(function* () {
        yield* Expiry.run
        const order = yield* Orders.use((_) => _.get(caller.user_id, id))
        return [order.proxy_status, order.status]
      })
      assert.deepStrictEqual(yield* statuses, ["active", "provisioned"])
      yield* TestClock.adjust("647 hours")
      assert.deepStrictEqual(yield* statuses, ["active", "provisioned"])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* statuses, ["expiring", "provisioned"])
      yield* TestClock.adjust("3 days")
      assert.deepStrictEqual(yield* statuses, ["expired", "expired"])
      const counts = yield* Orders.use((_) => _.counts(caller.user_id, {}))
      assert.deepStrictEqual(counts, { active: 0, expiring: 0, expired: 1, total: 1 })
    })
  )

  it.effect("catches up after the job did not run for months", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const placement = yield* OrderPlacement
      yield* placement.place(caller, yield* Testing.request({ quantity: 5 }), undefined)
      yield* TestClock.adjust("400 days")
      yield* Expiry.run
      const counts = yield* Orders.use((_) => _.counts(caller.user_id, { proxy_type: "datacenter" }))
      assert.deepStrictEqual(counts, { active: 0, expiring: 0, expired: 5, total: 5 })
    })
  )

  it.effect("sends one notice of an expiring proxy, even if several instances run", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const placement = yield* OrderPlacement
      yield* placement.place(caller, yield* Testing.request({ quantity: 2, auto_renew: true }), undefined)
      yield* placement.place(caller, yield* Testing.request(), undefined)
      yield* TestClock.adjust("28 days")
      yield* Effect.all([Expiry.run, Expiry.run, Expiry.run], { concurrency: 3 })
      const sql = yield* SqlClient.SqlClient
      const told = yield* sql<{ kind: string; message: string }>`
        SELECT kind, message FROM notification WHERE user_id = ${caller.user_id} ORDER BY message
      `
      assert.deepStrictEqual(
        told.map(({ kind, message }) => [kind, message.split(" UTC. ")[1]]),
        [
          ["proxy_expiring", "Extend it to keep it."],
          ["proxy_expiring", "The service renews it from your wallet."],
          ["proxy_expiring", "The service renews it from your wallet."]
        ]
      )
      const due = yield* sql`SELECT id FROM proxy_order WHERE user_id = ${caller.user_id} AND renew_at IS NOT NULL`
      assert.lengthOf(due, 2)
    })
  )
})
