import { DateTime, Schema } from "effect"
import { type MeteredProxy, TrafficPeriod, type TrafficPoints, type TrafficWindow } from "./TrafficPoints.ts"

const bytesPerGb = 1e9

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

export const toGb = (bytes: number) => bytes / bytesPerGb

/** What some proxies may use together in their cycles; 0 as soon as one is unlimited. */
const limitOf = (proxies: ReadonlyArray<MeteredProxy>) =>
  proxies.reduce<number | null>(
    (sum, { bandwidth_gb }) => (sum === null || bandwidth_gb === null ? null : sum + bandwidth_gb),
    0
  ) ?? 0

const iso = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))

export const trafficUsage = (
  { count, from, period, to, width }: TrafficWindow,
  proxies: ReadonlyArray<MeteredProxy>,
  { counter, used }: TrafficPoints
): TrafficUsageView => {
  const total = toGb(used.reduce((sum, bytes) => sum + bytes, 0))
  const total_limit_gb = limitOf(proxies)
  return {
    period,
    from_at: iso(from),
    to_at: iso(to),
    summary: { total_used_gb: total, avg_per_period_gb: total / count },
    points: used.map((bytes, point) => ({
      timestamp: iso(from + point * width),
      used_delta_gb: toGb(bytes),
      used_total_gb: toGb(counter[point] ?? 0),
      total_limit_gb
    }))
  }
}
