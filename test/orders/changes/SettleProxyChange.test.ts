import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import { Providers } from "../../../src/provider/Providers.ts"
import type { ProxyExtension, ProxyProvider } from "../../../src/provider/ProxyProvider.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { changesOf, charged, layer as domain, orderOf, proxy } from "./ProxyChangeTesting.ts"

const append = { offer: "Residential", wanted: { kind: "append", months: 1 } } as const
const restart = { offer: "Mobile", wanted: { kind: "restart", tarification_index: 1 } } as const

layer(domain)("SettleProxyChange", (it) => {
  it.effect.each([
    ["append", "the end it had", append, 0],
    ["append", "an end long over", append, 10_000],
    ["restart", "the end it had", restart, 0],
    ["restart", "an end long over", restart, 10_000]
  ] as const)(
    "%s: a proxy has the time that was paid for while its provider still shows %s",
    ([, , { offer, wanted }, age]) =>
      Effect.gen(function* () {
        const { provider } = yield* MemoryProvider
        const { id: order_id, order, user } = yield* proxy(offer)
        const end = order.expires_at ?? (yield* DateTime.now)
        yield* TestClock.setTime(DateTime.toEpochMillis(end) - 600_000)
        yield* Expiry.run
        yield* charged(order_id, wanted)
        const sold = yield* DateTime.now
        yield* TestClock.adjust("20 seconds")
        const extend: ProxyProvider["extend"] = (id, extension) =>
          Effect.map(provider.extend?.(id, extension) ?? Effect.die("no extend"), (proxy) => ({
            ...proxy,
            expires_at: DateTime.subtract(end, { hours: age })
          }))
        yield* Effect.provide(ProxyChangeRecovery.run, Providers.layerOf({ ...provider, extend }))
        yield* TestClock.adjust("15 minutes")
        yield* Expiry.run
        assert.deepStrictEqual(
          (yield* changesOf(order_id)).map(({ status }) => status),
          ["applied"]
        )
        const { expires_at, proxy_status } = yield* orderOf(user, order_id)
        assert.strictEqual(proxy_status, "active")
        assert.deepStrictEqual(
          expires_at,
          wanted.kind === "append" ? DateTime.add(end, { months: 1 }) : DateTime.add(sold, { days: 7 })
        )
      })
  )

  it.effect("keeps what the provider charged as the cost, where its answer tells it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { provider } = yield* MemoryProvider
      const charge = {
        ...provider,
        extend: (id: string, extension: ProxyExtension) =>
          Effect.map(provider.extend!(id, extension), (proxy) => ({ ...proxy, cost_usd: 2_345_678n }))
      }
      const { id: order_id } = yield* proxy("Residential")
      yield* charged(order_id, append.wanted)
      yield* TestClock.adjust("20 seconds")
      yield* Effect.provide(ProxyChangeRecovery.run, Providers.layerOf(charge))
      yield* charged(order_id, append.wanted)
      yield* TestClock.adjust("20 seconds")
      yield* ProxyChangeRecovery.run
      const costs = yield* sql`SELECT cost_usd FROM proxy_change WHERE order_id = ${order_id} ORDER BY created_at`
      assert.deepStrictEqual([...costs], [{ cost_usd: 2_345_678n }, { cost_usd: 2_000_000n }])
    })
  )
})
