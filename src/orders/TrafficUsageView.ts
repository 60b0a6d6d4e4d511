import { DateTime, Duration, Schema } from "effect"
import type { HourlyTraffic } from "../provider/ProxyProvider.ts"

export const TrafficPeriod = Schema.Literals(["last_24h", "last_7d", "last_30d"])
export type TrafficPeriod = typeof TrafficPeriod.Type

export const bytesPerGb = 1e9

export const buckets = {
  last_24h: { part: "hour", count: 24, width: Duration.hours(1) },
  last_7d: { part: "day", count: 7, width: Duration.days(1) },
  last_30d: { part: "day", count: 30, width: Duration.days(1) }
} as const

const Gb = Schema.Finite.annotate({ description: "GB (10^9 bytes)", examples: [0.25] })

/** Traffic over a period in aligned points (specification section 2.6). */
export const TrafficUsageView = Schema.Struct({
  period: TrafficPeriod,
  from_at: Schema.String.annotate({ description: "Inclusive start, UTC" }),
  to_at: Schema.String.annotate({ description: "Exclusive end, UTC" }),
  summary: Schema.Struct({ total_used_gb: Gb, avg_per_period_gb: Gb }),
  points: Schema.Array(
    Schema.Struct({
      timestamp: Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T00:00:00.000Z"] }),
      used_delta_gb: Gb,
      used_total_gb: Gb.annotate({ description: "The cycle's counter at the end of the point, GB" }),
      total_limit_gb: Gb.annotate({ description: "0 is unlimited" })
    })
  )
}).annotate({ identifier: "TrafficUsage" })
export type TrafficUsageView = typeof TrafficUsageView.Type

interface Usage {
  readonly hours: ReadonlyArray<HourlyTraffic>
  /** Traffic before this belongs to an earlier cycle. */
  readonly cycle_started_at: DateTime.Utc | null
  readonly limit_gb: number
}

/** Sums hours into the period's points; hours and days are UTC, the last point is the running one. */
export const summarize = (period: TrafficPeriod, now: DateTime.Utc, usage: Usage): TrafficUsageView => {
  const { count, part, width } = buckets[period]
  const to = DateTime.addDuration(DateTime.startOf(now, part), width)
  const from = DateTime.subtractDuration(to, Duration.times(width, count))
  const between = (start: number, end: number) =>
    usage.hours.reduce((sum, { bytes, hour }) => {
      const at = DateTime.toEpochMillis(hour)
      return at >= start && at < end ? sum + Number(bytes) : sum
    }, 0)
  const millis = Duration.toMillis(width)
  const cycle =
    usage.cycle_started_at === null ? 0 : DateTime.toEpochMillis(DateTime.startOf(usage.cycle_started_at, "hour"))
  const points = Array.from({ length: count }, (_, index) => {
    const start = DateTime.toEpochMillis(from) + index * millis
    return {
      timestamp: DateTime.formatIso(DateTime.makeUnsafe(start)),
      used_delta_gb: between(start, start + millis) / bytesPerGb,
      used_total_gb: between(cycle, start + millis) / bytesPerGb,
      total_limit_gb: usage.limit_gb
    }
  })
  const total = between(DateTime.toEpochMillis(from), DateTime.toEpochMillis(to)) / bytesPerGb
  return {
    period,
    from_at: DateTime.formatIso(from),
    to_at: DateTime.formatIso(to),
    summary: { total_used_gb: total, avg_per_period_gb: total / count },
    points
  }
}
