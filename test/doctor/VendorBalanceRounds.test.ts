import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NotKnown } from "../../src/doctor/NotKnown.ts"
import * as VendorBalanceRounds from "../../src/doctor/VendorBalanceRounds.ts"
import { type VendorBalance, VendorBalances } from "../../src/doctor/VendorBalances.ts"
import { VendorBalancesRepo } from "../../src/doctor/VendorBalancesRepo.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const round = (...all: ReadonlyArray<VendorBalance>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const told = Layer.succeed(VendorBalances, { all: Effect.succeed(all) })
    yield* Effect.provide(VendorBalanceRounds.run, Layer.merge(told, VendorBalancesRepo.layer))
    return yield* sql`
      SELECT provider, balance_usd::int AS usd, extract(epoch FROM low_since)::int AS low FROM vendor_balance ORDER BY 1
    `
  })

layer(TestDatabase.layer)("The balances at vendors", (it) => {
  it.effect("are low since they were first below the least, and forgotten with their vendor", () =>
    Effect.gen(function* () {
      const other = { name: "b", balance: 50_000_000n }
      const b = { provider: "b", usd: 50_000_000, low: null }
      assert.deepStrictEqual(yield* round({ name: "a", balance: 49_999_999n }, other), [
        { provider: "a", usd: 49_999_999, low: 0 },
        b
      ])
      yield* TestClock.adjust("1 minute")
      const unknown = new NotKnown({ reason: "no answer" })
      const low = [{ provider: "a", usd: 1, low: 0 }, b]
      assert.deepStrictEqual(yield* round({ name: "a", balance: 1n }, other), low)
      assert.deepStrictEqual(yield* round({ name: "a", balance: unknown }, other), low)
      // At the bound it stays low, so that it does not come and go.
      assert.deepStrictEqual(yield* round({ name: "a", balance: 54_999_999n }, other), [
        { provider: "a", usd: 54_999_999, low: 0 },
        b
      ])
      assert.deepStrictEqual(yield* round({ name: "a", balance: 60_000_000n }, other), [
        { provider: "a", usd: 60_000_000, low: null },
        b
      ])
      assert.deepStrictEqual(yield* round(other), [b])
    })
  )
})
