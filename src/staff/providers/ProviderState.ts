import { Schema } from "effect"
import * as CallDurations from "../../provider/CallDurations.ts"

const Health = Schema.Literals(["good", "errors", "failing", "quiet"])
export type Health = typeof Health.Type

const Operation = Schema.Struct({
  operation: Schema.String.annotate({ description: "A call of the adapter", examples: ["provision"] }),
  calls: Schema.Int,
  refused: Schema.Int.annotate({ description: "Refusals for good, such as for want of stock" }),
  failed: Schema.Int.annotate({ description: "Calls without an answer, or with an error" }),
  p50_ms: Schema.Finite.annotate({ description: "Half of the calls took at most this many milliseconds" }),
  p95_ms: Schema.Finite.annotate({ description: "95 % of the calls took at most this many milliseconds" }),
  failure: Schema.NullOr(Schema.String).annotate({ description: "The reason of the last failure" }),
  failed_at: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({ description: "The minute of the last failure" })
}).annotate({ identifier: "ProviderOperation" })

/** A provider as staff see it. The calls are those of the last hour, of all processes. */
export const ProviderState = Schema.Struct({
  name: Schema.String.annotate({ examples: ["iproyal"] }),
  health: Health.annotate({
    description:
      "`errors`: at least 5 % of the calls of the last hour failed; `failing`: at least half; `quiet`: no calls"
  }),
  offers: Schema.Struct({ listed: Schema.Int, in_stock: Schema.Int, paused: Schema.Int }),
  balance: Schema.NullOr(
    Schema.Struct({
      usd: Schema.String.annotate({ examples: ["120.50"] }),
      is_low: Schema.Boolean,
      read_at: Schema.DateTimeUtcFromString
    })
  ).annotate({ description: "Your money at the vendor, asked every 10 minutes; null when the vendor does not tell" }),
  operations: Schema.Array(Operation)
}).annotate({ identifier: "Provider" })
export type ProviderState = typeof ProviderState.Type

/** Judges the calls of an hour. */
export const healthOf = (operations: ReadonlyArray<{ readonly calls: number; readonly failed: number }>): Health => {
  const calls = operations.reduce((sum, one) => sum + one.calls, 0)
  const failed = operations.reduce((sum, one) => sum + one.failed, 0)
  if (calls === 0) return "quiet"
  const share = failed / calls
  return share >= 0.5 ? "failing" : share >= 0.05 ? "errors" : "good"
}

export const durationsOf = (durations: ReadonlyArray<number>) => ({
  p50_ms: CallDurations.quantile(durations, 0.5) ?? 0,
  p95_ms: CallDurations.quantile(durations, 0.95) ?? 0
})
