import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import { IpCheckQuota } from "../../src/ip-check/IpCheckQuota.ts"
import { IpChecks } from "../../src/ip-check/IpChecks.ts"
import { IpVendors } from "../../src/ip-check/vendors/IpVendors.ts"
import * as SandboxVendors from "../../src/ip-check/vendors/SandboxVendors.ts"
import { VendorUsageRepo } from "../../src/ip-check/vendors/VendorUsageRepo.ts"
import type { OrderId } from "../../src/orders/Order.ts"
import { OrderPlacement } from "../../src/orders/checkout/OrderPlacement.ts"
import { PublicIp } from "../../src/platform/outbound/PublicAddress.ts"
import { Deposits } from "../../src/wallet/payments/Deposits.ts"
import { Payments } from "../../src/wallet/payments/Payments.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { fund } from "../support/Fixtures.ts"
import { MemoryIpVendors } from "../support/MemoryIpVendors.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { buyer, request } from "../support/OrderTesting.ts"
import { check, layer as domain, newIp, pretended, price, withAnswer, withEnvironment } from "./IpCheckTesting.ts"

/** Pays with sandbox money. */
const pretend = Effect.fnUntraced(function* (user_id: UserId, amount: bigint) {
  const request = { amount, currency: "USD", payment_method: "card_gateway" } as const
  const { payment_intent_id } = yield* Deposits.use((deposits) => deposits.create(user_id, request))
  const call = (yield* MemoryPaymentGateways).pay(payment_intent_id, { charge_id: `sandbox_${payment_intent_id}` })
  yield* Payments.use((payments) => payments.receive("card_gateway", call))
}, Effect.provide(Deposits.layer))

/** Extends the last order of the account for one dollar. */
const extend = Effect.fnUntraced(function* (user_id: UserId) {
  const sql = yield* SqlClient.SqlClient
  const wallets = yield* Wallets
  const [order] = yield* sql<{ id: OrderId }>`
    SELECT id FROM proxy_order WHERE user_id = ${user_id} ORDER BY created_at DESC, id DESC LIMIT 1
  `
  const amount = 1_000_000n
  const entry = {
    order_id: order?.id ?? null,
    reference: randomUUID(),
    amount,
    amount_usd: amount,
    description: "More"
  }
  yield* wallets.charge({ user_id, currency: "USD", spender: null, entries: [entry] })
})

const stripe = { STRIPE_SECRET_KEY: "sk_live", STRIPE_WEBHOOK_SECRET: "whsec" }

layer(domain, { excludeTestServices: true })("IP checks with a sandbox", (it) => {
  it.effect(
    "grant no free check for an order that sandbox money paid, and count none of its checks, when the sandbox is off",
    () =>
      Effect.gen(function* () {
        const caller = yield* buyer(0n)
        yield* pretend(caller.user_id, 2_000_000n)
        yield* fund(caller.user_id, 2_500_000n)
        // Sandbox money pays the first order, a part of the second, and an extension of the third.
        const body = yield* request()
        yield* Effect.replicateEffect(
          OrderPlacement.use((placement) => placement.place(caller, body, undefined)),
          3
        )
        yield* pretend(caller.user_id, 1_000_000n)
        yield* extend(caller.user_id)
        const quota = IpCheckQuota.use(({ of }) => of(caller.user_id))
        const live = Effect.provide(quota, withEnvironment(IpCheckQuota.layer, stripe))
        assert.deepInclude(yield* quota, { entitled: 3, used: 0, free_available: 3 })
        assert.deepInclude(yield* live, { entitled: 1, used: 0, free_available: 1 })
        yield* withAnswer(pretended, check(caller, newIp()))
        assert.deepInclude(yield* quota, { entitled: 3, used: 1, free_available: 2 })
        assert.deepInclude(yield* live, { entitled: 1, used: 0, free_available: 1 })
        yield* check(caller, newIp())
        assert.deepInclude(yield* live, { entitled: 1, used: 1, free_available: 0 })
      })
  )

  it.effect("reuse a result of the sandbox only in the sandbox", () =>
    Effect.gen(function* () {
      const sandbox = Layer.fresh(IpChecks.layer).pipe(
        Layer.provide(IpVendors.layerOf(...SandboxVendors.all)),
        Layer.provide(VendorUsageRepo.layer)
      )
      const ip = Schema.decodeSync(PublicIp)("8.99.1.200")
      const inSandbox = Effect.provide(check(yield* buyer(price), ip), sandbox)
      const first = (yield* inSandbox).answer
      const second = (yield* inSandbox).answer
      assert.deepStrictEqual([first.verdict, first.cached, second.cached], ["risky", false, true])
      const { answer } = yield* check(yield* buyer(price), ip)
      assert.deepStrictEqual(
        [answer.verdict, answer.cached, (yield* MemoryIpVendors).timesAsked(ip)],
        ["clean", false, 1]
      )
      assert.isTrue((yield* check(yield* buyer(0n), ip)).answer.cached)
    })
  )
})
