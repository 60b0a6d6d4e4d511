import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as PaymentCallbackCleanup from "../../../src/wallet/payments/PaymentCallbackCleanup.ts"
import { deposited, services } from "./PaymentsTesting.ts"

layer(services)("PaymentCallbackCleanup", (it) => {
  it.effect("removes all callbacks without effect after a day, and keeps the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { decline, forge, pay } = yield* deposited
      const counts = sql<{ outcome: string; total: number }>`
        SELECT outcome, count(*)::int AS total FROM payment_callback GROUP BY outcome
      `
      const kept = Effect.map(counts, (rows) => Object.fromEntries(rows.map(({ outcome, total }) => [outcome, total])))
      yield* sql`
        INSERT INTO payment_callback (id, payment_method, headers, body, outcome, received_at, processed_at)
        SELECT gen_random_uuid(), 'card_gateway', '{}', '', outcome, to_timestamp(0), to_timestamp(0)
        FROM generate_series(1, 1200) AS n, unnest('{refused,ignored,unmatched}'::text[]) AS outcome
        WHERE outcome <> 'refused' OR n <= 900
      `
      yield* TestClock.adjust("1 day")
      yield* pay()
      yield* Effect.flip(forge)
      assert.strictEqual(yield* decline, "ignored")
      yield* TestClock.adjust("23 hours")
      yield* PaymentCallbackCleanup.run
      assert.deepStrictEqual(yield* kept, { refused: 1, ignored: 1, paid: 1, unmatched: 1200 })
      yield* TestClock.adjust("2 hours")
      yield* PaymentCallbackCleanup.run
      assert.deepStrictEqual(yield* kept, { paid: 1, unmatched: 1200 })
    })
  )
})
