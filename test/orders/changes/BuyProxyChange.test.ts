import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import { ProxyChanges } from "../../../src/orders/changes/ProxyChanges.ts"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import { ProviderRefused } from "../../../src/provider/ProviderErrors.ts"
import { Providers } from "../../../src/provider/Providers.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { bookedFor, changesOf, layer as domain, noticesOf, proxy } from "./ProxyChangeTesting.ts"
import { settled } from "../../support/Settled.ts"

/** Buys a month and answers the outcome. */
const buying = Effect.fnUntraced(function* (key?: string) {
  const bought = yield* proxy("Residential")
  const extend = ProxyChanges.use((_) => _.extend(bought.caller, bought.order, { months: 1 }, key))
  const outcome = Effect.map(Effect.result(extend), (result) =>
    result._tag === "Success" ? "made" : result.failure._tag
  )
  return { ...bought, outcome }
})

layer(domain)("BuyProxyChange", (it) => {
  it.effect("an order, an extension and extra traffic keep the operator's cost, and the catalog does not show it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { caller, id, order } = yield* proxy("Residential", { bandwidth_gb: 52 })
      const changes = yield* ProxyChanges
      yield* changes.extend(caller, order, { months: 2 }, undefined)
      yield* changes.addTraffic(caller, order, { bandwidth_gb: 7 }, undefined)
      assert.deepStrictEqual(yield* sql`SELECT cost_usd FROM proxy_order WHERE id = ${id}`, [{ cost_usd: 2_200_000n }])
      assert.deepStrictEqual(yield* sql`SELECT cost_usd FROM proxy_change WHERE order_id = ${id} ORDER BY id`, [
        { cost_usd: 4_000_000n },
        { cost_usd: 700_000n }
      ])
      const { body } = yield* Catalog.use((catalog) => catalog.answer({ currency: "USD" }))
      assert.notInclude(new TextDecoder().decode(body), "cost")
    })
  )

  it.effect("a request answers a refusal that comes at the end of its wait, and the service sends no notice", () =>
    Effect.gen(function* () {
      const { provider } = yield* MemoryProvider
      const { id, outcome, user } = yield* buying()
      const refusal = Effect.fail(new ProviderRefused({ provider: "memory", reason: "no" }))
      const late = Providers.layerOf({ ...provider, extend: () => Effect.delay(refusal, "9999 millis") })
      const waiting = yield* Effect.forkChild(
        Effect.provide(outcome, Layer.fresh(ProxyChanges.layer).pipe(Layer.provide(late)))
      )
      yield* settled
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "ProviderSaidNo")
      assert.deepStrictEqual(yield* bookedFor(id), [-3_500_000n, -3_500_000n, 3_500_000n])
      assert.deepStrictEqual(yield* noticesOf(user), [])
    })
  )

  it.effect("the customer gets a notice of a refusal that comes after the request", () =>
    Effect.gen(function* () {
      const { provider } = yield* MemoryProvider
      const { id, outcome, user } = yield* buying()
      const refusal = Effect.fail(new ProviderRefused({ provider: "memory", reason: "no" }))
      const late = Providers.layerOf({ ...provider, extend: () => Effect.delay(refusal, "10100 millis") })
      const changes = Layer.fresh(ProxyChanges.layer).pipe(Layer.provide(late))
      yield* Effect.provide(
        Effect.gen(function* () {
          const waiting = yield* Effect.forkChild(outcome)
          yield* settled
          yield* TestClock.adjust("10 seconds")
          assert.strictEqual(yield* Fiber.join(waiting), "ChangeUnsettled")
          yield* TestClock.adjust("1 second")
          yield* settled
        }),
        changes
      )
      assert.deepStrictEqual(
        (yield* changesOf(id)).map(({ status }) => status),
        ["refused"]
      )
      assert.deepStrictEqual(yield* noticesOf(user), ["change_failed"])
    })
  )

  it.effect.each([
    ["could not be reached", "provider_down", "ProviderDown", "61 minutes"],
    ["refused", "provider_refused", "ProviderSaidNo", "3 minutes"]
  ] as const)("a retry with the same key answers that the provider %s in the background", ([, refusal, error, wait]) =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { id, outcome, user } = yield* buying(refusal)
      memory.nextChange("drop")
      assert.strictEqual(yield* outcome, "RequestStillRunning")
      memory.setDown(refusal === "provider_down")
      memory.nextChange(...(refusal === "provider_down" ? [] : (["refuse"] as const)))
      yield* TestClock.adjust(wait)
      yield* ProxyChangeRecovery.run
      memory.setDown(false)
      assert.deepStrictEqual(yield* noticesOf(user), ["change_failed"])
      assert.strictEqual(yield* outcome, error)
      assert.strictEqual(yield* outcome, "made")
      assert.deepStrictEqual(yield* bookedFor(id), [-3_500_000n, -3_500_000n, 3_500_000n, -3_500_000n])
    })
  )
})
