import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { orders } from "../../src/cli/OrdersCommand.ts"
import { payments } from "../../src/cli/PaymentsCommand.ts"
import { StaffOrders } from "../../src/staff/orders/StaffOrders.ts"
import { StaffOrderWork } from "../../src/staff/orders/StaffOrderWork.ts"
import { StaffPayments } from "../../src/staff/payments/StaffPayments.ts"
import { Deposits } from "../../src/wallet/payments/Deposits.ts"
import { changesOf, layer as domain, proxy } from "../orders/changes/ProxyChangeTesting.ts"
import { newUser } from "../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(orders(Layer.merge(StaffOrders.layer, StaffOrderWork.layer)))
const runPayments = runner(payments(StaffPayments.layer))

const reason = "--reason blocked"

layer(Layer.mergeAll(domain, NodeServices.layer, Deposits.layer.pipe(Layer.provide(domain))))("orders", (it) => {
  it.effect("finds and shows an order, with what can be done for it", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter")
      for (const words of [id, user, `${(yield* MemoryProvider).leases.get(id)?.proxy.provider_proxy_id}`])
        assert.match(yield* run(`find ${words}`), new RegExp(`^${id}\tprovisioned\tproxy active\t`))
      assert.strictEqual(yield* run(`find ${randomUUID()}`), "No orders")
      const shown = yield* run(`show ${id}`)
      assert.match(shown, /^replace\tpossible$/m)
      assert.match(shown, /^retry\tThe order does not wait for its proxy/m)
      assert.match(shown, /\tdelivery_ended\tprovisioned\t/)
      assert.match(yield* run(`show ${randomUUID()}`), /failed: There is no such order/)
    })
  )

  it.effect("replaces a proxy once for an id, and not in a rehearsal; extends, and releases", () =>
    Effect.gen(function* () {
      const { id } = yield* proxy("Residential")
      assert.match(yield* run(`replace ${id} ${reason} --dry-run`), /^would be begun\t\S+\treplace$/m)
      assert.deepStrictEqual([...(yield* changesOf(id))], [])
      const replace = `replace ${id} ${reason} --id ${randomUUID()}`
      for (let time = 0; time < 2; time++) assert.match(yield* run(replace), /\treplace\tdone\torder provisioned/)
      assert.lengthOf(yield* changesOf(id), 1)
      assert.match(yield* run(`extend ${id} ${reason}`), /\textend\tdone\t/)
      assert.match(yield* run(`extend ${id} --days 3 ${reason}`), /failed: This provider sells whole months only/)
      assert.match(yield* run(`look-up ${id} ${reason}`), /failed: .*no call to its provider/)
      assert.match(yield* run(`release ${id} ${reason}`), /\trelease\tdone\torder cancelled\tproxy cancelled/)
    })
  )

  it.effect("tries an order again", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      memory.next("unavailable")
      const { id } = yield* proxy("Datacenter")
      assert.match(yield* run(`retry ${id} ${reason}`), /\tretry\tdone\torder provisioned/)
    })
  )
})

layer(Layer.mergeAll(domain, NodeServices.layer, Deposits.layer.pipe(Layer.provide(domain))))("payments", (it) => {
  it.effect("finds, shows and looks a payment up", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const user = yield* newUser
      const { payment_intent_id: id } = yield* Deposits.use((deposits) =>
        deposits.create(user, { amount: 25_000_000n, currency: "USD", payment_method: "card_gateway" })
      )
      assert.match(
        yield* runPayments(`find ${user} --status pending`),
        new RegExp(`^${id}\tpending\tcard_gateway\t25.00 USD`)
      )
      assert.strictEqual(yield* runPayments(`find ${user} --status paid`), "No payments")
      gateways.payUnreported(id)
      const looked = yield* runPayments(`look-up ${id} ${reason}`)
      assert.match(looked, /^status\tpaid$/m)
      assert.match(looked, new RegExp(`^charge\tcharge_${id}\tUSD\t.*25.00`, "m"))
      assert.match(yield* runPayments(`show ${id}`), /^status\tpaid$/m)
    })
  )
})
