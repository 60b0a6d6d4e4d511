import { DateTime, Schema } from "effect"
import type { TrafficWindow } from "../../provider/ProxyProvider.ts"
import { startOf, TrafficPeriod, type TrafficPoints } from "./TrafficPoints.ts"

const bytesPerGb = 1e9

const Gb = Schema.Finite.annotate({ description: "GB (10^9 bytes)", examples: [0.25] })

/** Traffic over a period, in aligned points (docs/contract.md, "Traffic usage"). */
export const TrafficUsageView = Schema.Struct({
  period: TrafficPeriod,
  from_at: Schema.String.annotate({ description: "Inclusive start, UTC" }),
  to_at: Schema.String.annotate({ description: "Exclusive end, UTC" }),
  summary: Schema.Struct({ total_used_gb: Gb, avg_per_period_gb: Gb }),
  points: Schema.Array(
    Schema.Struct({
      timestamp: Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T00:00:00.000Z"] }),
      used_delta_gb: Gb,
      used_total_gb: Gb.annotate({
        description: "Traffic counter of the cycle at the end of the point, in GB (10^9 bytes)"
      }),
      total_limit_gb: Gb.annotate({ description: "GB (10^9 bytes); 0 is unlimited" })
    })
  )
}).annotate({ identifier: "TrafficUsage" })
export type TrafficUsageView = typeof TrafficUsageView.Type

const toGb = (bytes: number) => bytes / bytesPerGb

/** `limit_gb` is the sum of the limits; null is unlimited. */
export const trafficUsageView = (
  period: TrafficPeriod,
  window: TrafficWindow,
  { counter, used }: TrafficPoints,
  limit_gb: number | null
): TrafficUsageView => {
  const total = toGb(used.reduce((sum, bytes) => sum + bytes, 0))
  const at = (point: number) => DateTime.formatIso(startOf(window, point))
  return {
    period,
    from_at: at(0),
    to_at: at(window.count),
    summary: { total_used_gb: total, avg_per_period_gb: total / window.count },
    points: used.map((bytes, point) => ({
      timestamp: at(point),
      used_delta_gb: toGb(bytes),
      used_total_gb: toGb(counter[point] ?? 0),
      total_limit_gb: limit_gb ?? 0
    }))
  }
}
