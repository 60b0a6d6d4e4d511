import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as ProxyChangeRecovery from "../../src/orders/changes/ProxyChangeRecovery.ts"
import { ProxyChanges } from "../../src/orders/changes/ProxyChanges.ts"
import { marginSince } from "../support/MarginQuery.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { scaled, sell } from "../support/Repricing.ts"
import { charged, layer as domain, orderOf, proxy } from "./changes/ProxyChangeTesting.ts"

const margin = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  return [...(yield* sql.unsafe(marginSince(day)))]
})

const dearer = sell((offer) => {
  const { options, ...dear } = scaled(offer, 300)
  return { ...dear, options: options.map((option) => ({ ...option, cost_usd: 9_000_000n })) }
})

layer(domain)("The query of the margin in docs/providers.md", (it) => {
  it.effect("has an order, an extension and gigabytes at what they cost that day, without refunds", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      // 3.50 dollars with 50 GB, which cost 2; each further GB 0.60, which costs 0.10.
      const { caller, id, user } = yield* proxy("Residential", { bandwidth_gb: 53 })
      yield* dearer
      assert.deepStrictEqual(yield* margin("1970-01-01"), [
        { provider: "memory", sales: 1n, revenue_usd: "5.30", margin_usd: "3.00", without_cost: 0n }
      ])
      yield* sell((offer) => offer)
      const order = yield* orderOf(user, id)
      yield* ProxyChanges.use((_) => _.extend(caller, order, { months: 1 }, undefined))
      yield* ProxyChanges.use((_) => _.addTraffic(caller, order, { bandwidth_gb: 10 }, undefined))
      assert.deepStrictEqual(yield* margin("1970-01-01"), [
        { provider: "memory", sales: 3n, revenue_usd: "14.80", margin_usd: "9.50", without_cost: 0n }
      ])

      memory.next("refuse")
      yield* proxy("Residential")
      memory.nextChange("refuse")
      yield* charged(id, { kind: "append", months: 1 })
      yield* TestClock.adjust("15 seconds")
      yield* ProxyChangeRecovery.run
      // The provider names no cost of this one.
      yield* proxy("Datacenter")
      assert.deepStrictEqual(yield* margin("1970-01-01"), [
        { provider: "memory", sales: 4n, revenue_usd: "16.30", margin_usd: "9.50", without_cost: 1n }
      ])
      assert.deepStrictEqual(yield* margin("1970-01-02"), [])
    })
  )
})
