import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { LiveProxies } from "../../../src/orders/proxies/LiveProxies.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { Orders } from "../../../src/orders/Orders.ts"
import { Providers } from "../../../src/provider/Providers.ts"
import type { ProxyProvider } from "../../../src/provider/ProxyProvider.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"

const usedGbAt = Effect.fnUntraced(function* (provider: ProxyProvider) {
  const caller = yield* Testing.buyer(2_000_000n)
  const { orders } = yield* OrderPlacement.use((_) =>
    Effect.flatMap(Testing.request(), (it) => _.place(caller, it, undefined))
  )
  const order = yield* Orders.use((_) => _.get(caller.user_id, OrderId.make(orders[0]?.id ?? "")))
  return yield* LiveProxies.use((live) => live.usedGb(order)).pipe(
    Effect.provide(Layer.fresh(LiveProxies.layer).pipe(Layer.provide(Providers.layerOf(provider))))
  )
})

layer(Testing.layer)("The traffic of an order's proxy", (it) => {
  it.effect("is the count of its provider", () =>
    Effect.gen(function* () {
      const { provider } = yield* MemoryProvider
      assert.strictEqual(yield* usedGbAt(provider), 0)
    })
  )

  it.effect("is unknown when the provider counts no traffic, and the provider is not asked", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { traffic: _, ...provider } = memory.provider
      const asked = memory.count("get")
      assert.isNull(yield* usedGbAt(provider))
      assert.strictEqual(memory.count("get"), asked)
    })
  )
})
