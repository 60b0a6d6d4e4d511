import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { StaffRefunds } from "../../../src/staff/money/StaffRefunds.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { proxy } from "../../orders/changes/ProxyChangeTesting.ts"
import * as RefundTesting from "../../orders/refunds/RefundTesting.ts"
import { actorOf, newStaff } from "../StaffTesting.ts"

const half = {
  kind: "prorata",
  destination: "wallet",
  ends_service: false,
  reason_code: "slow",
  reason: "Slow for a day"
} as const

layer(StaffRefunds.layer.pipe(Layer.provideMerge(RefundTesting.layer)))("A refund by staff", (it) => {
  it.effect("asks the provider for the traffic once, and not while it holds locks", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { provider } = yield* MemoryProvider
      const actor = actorOf(yield* newStaff("owner"), "owner")
      const { id } = yield* proxy("Residential")
      const locked: Array<boolean> = []
      const { get } = provider
      const watched: typeof get = (proxy) =>
        Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) => {
          locked.push(Option.isSome(transaction))
          return get(proxy)
        })
      yield* Effect.acquireRelease(
        Effect.sync(() => Object.assign(provider, { get: watched })),
        () => Effect.sync(() => Object.assign(provider, { get }))
      )
      const refunds = yield* StaffRefunds
      const { answer } = yield* refunds.create(actor, randomUUID(), id, half)
      assert.deepStrictEqual([answer.status, answer.computed.used_gb], ["booked", 0])
      assert.deepStrictEqual(locked, [false])
    })
  )
})
