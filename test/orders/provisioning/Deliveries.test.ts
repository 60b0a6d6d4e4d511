import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Idempotency } from "../../../src/idempotency/Idempotency.ts"
import type { PlacedOrder } from "../../../src/orders/Order.ts"
import { deliveredOrder } from "../../../src/orders/provisioning/Delivery.ts"
import { ProvisioningRepo } from "../../../src/orders/provisioning/ProvisioningRepo.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as Locks from "../../support/Locks.ts"
import * as OrderRows from "../../support/OrderRows.ts"
import * as Testing from "../../support/OrderTesting.ts"

/** A paid order in the database, and its delivery. */
const paid = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.now
  const row = OrderRows.paidOrder(randomUUID(), yield* Fixtures.newUser, now)
  yield* sql`INSERT INTO proxy_order ${sql.insert(row)}`
  const proxy = { host: "192.0.2.1", port: 20000, username: "user", password: "secret", whitelisted_ips: [] }
  const cycle = { cycle_started_at: now, expiring_at: now, expires_at: DateTime.add(now, { days: 30 }) }
  const order = { ...row, ...cycle, ...proxy, provider_proxy_id: row.id } as unknown as PlacedOrder
  return { order: deliveredOrder(order, order as never, cycle), waiting: undefined, now }
})

layer(Testing.layer, { excludeTestServices: true })("Deliveries in one statement", (it) => {
  it.effect("skip an order that another transaction has locked, which is then delivered alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { deliver } = yield* ProvisioningRepo
      const { keeping } = yield* Idempotency
      const [locked, free] = [yield* paid, yield* paid]
      const held = yield* Locks.held(sql`SELECT FROM proxy_order WHERE id = ${locked.order.id} FOR UPDATE`)
      const [first, second] = yield* deliver([locked, free], keeping, "skip")
      assert.isUndefined(first)
      assert.strictEqual(second?.order.id, free.order.id)
      const alone = yield* Effect.forkChild(deliver([locked], keeping, "wait"))
      yield* Locks.waiting(1)
      yield* held.open
      yield* Fiber.join(held.running)
      assert.strictEqual((yield* Fiber.join(alone))[0]?.order.id, locked.order.id)
      assert.deepStrictEqual(yield* deliver([locked, free], keeping, "skip"), [undefined, undefined])
    })
  )
})
