import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../../src/platform/postgres/Rows.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

const Row = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()),
  amount: Schema.BigInt,
  port: Schema.Int,
  gb: Schema.NullOr(Schema.Finite),
  is_on: Schema.Boolean,
  tags: Schema.Array(Schema.String),
  answer: Schema.Json,
  at: Schema.Date
})

layer(TestDatabase.layer)("Rows that are read without a check", (it) => {
  it.effect("have the types that their schema names", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const query = sql`
        SELECT gen_random_uuid() AS id, 9223372036854775807 AS amount, 20000 AS port, 12.5::float8 AS gb, true AS is_on,
          '{a,"b c",""}'::text[] AS tags, '{"b": [1, null], "a": "ü"}'::jsonb AS answer,
          '2026-11-23T19:00:00.123Z'::timestamptz AS at
        UNION ALL
        SELECT gen_random_uuid(), -1, 0, NULL, false, '{}'::text[], 'null'::jsonb, 'epoch'::timestamptz
      `
      const rows = yield* Rows.unchecked(Row)(query)
      assert.deepStrictEqual(
        rows.map((row) => ({ ...row })),
        yield* Rows.all(Row)(Effect.succeed(rows))
      )
    })
  )

  it.effect("have no value that the schema would convert", () =>
    Effect.sync(() => {
      assert.throws(() => Rows.unchecked(Schema.Struct({ at: Schema.DateTimeUtcFromDate })), "need a check")
    })
  )
})
