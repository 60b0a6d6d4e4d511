import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import * as Rows from "../platform/postgres/Rows.ts"
import type { CallCount } from "./CallCounts.ts"

const CountedCalls = Schema.Struct({
  provider: Schema.String,
  operation: Schema.String,
  calls: Schema.Int,
  refused: Schema.Int,
  failed: Schema.Int,
  durations: Schema.Array(Schema.Int),
  /** The reason of the last failure. */
  failure: Schema.NullOr(Schema.String),
  /** The minute of the last failure. */
  failed_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

/** The calls of providers by minute, which all processes count together. */
export class CallCountsRepo extends Context.Service<CallCountsRepo>()("app/provider/CallCountsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const counted = Rows.all(CountedCalls)

    return {
      /** Adds calls to those of a minute. The order of the rows prevents a deadlock with another process. */
      add: (counts: ReadonlyArray<CallCount>, minute: DateTime.Utc) =>
        Effect.orDie(sql`
          INSERT INTO provider_calls AS c (provider, operation, minute, calls, refused, failed, durations, failure)
          SELECT provider, operation, ${DateTime.toDate(minute)}, calls, refused, failed, durations, failure
          FROM jsonb_to_recordset(${sql.json(counts)}) AS n (
            provider text, operation text, calls integer, refused integer, failed integer, durations integer[], failure text
          )
          ORDER BY provider, operation
          ON CONFLICT (provider, operation, minute) DO UPDATE SET
            calls = c.calls + excluded.calls, refused = c.refused + excluded.refused, failed = c.failed + excluded.failed,
            durations = (
              SELECT array_agg(coalesce(one, 0) + coalesce(other, 0) ORDER BY step)
              FROM unnest(c.durations, excluded.durations) WITH ORDINALITY AS d (one, other, step)
            ),
            failure = coalesce(excluded.failure, c.failure)
        `),

      forget: (before: DateTime.Utc) =>
        Effect.orDie(sql`DELETE FROM provider_calls WHERE minute < ${DateTime.toDate(before)}`),

      /** The calls since a time, by provider and operation. */
      since: (time: DateTime.Utc) =>
        counted(sql`
          SELECT provider, operation, sum(calls)::int AS calls, sum(refused)::int AS refused, sum(failed)::int AS failed,
            (SELECT array_agg(total ORDER BY step) FROM (
              SELECT step, sum(count)::int AS total
              FROM provider_calls d CROSS JOIN unnest(d.durations) WITH ORDINALITY AS u (count, step)
              WHERE d.provider = c.provider AND d.operation = c.operation AND d.minute >= ${DateTime.toDate(time)}
              GROUP BY step
            ) steps) AS durations,
            (array_agg(failure ORDER BY minute DESC) FILTER (WHERE failure IS NOT NULL))[1] AS failure,
            max(minute) FILTER (WHERE failed > 0) AS failed_at
          FROM provider_calls c WHERE minute >= ${DateTime.toDate(time)}
          GROUP BY provider, operation ORDER BY provider, operation
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
