import { DateTime, Duration, Schema } from "effect"
import type { TrafficSum, TrafficWindow } from "../../provider/ProxyProvider.ts"

export const TrafficPeriod = Schema.Literals(["last_24h", "last_7d", "last_30d"])
export type TrafficPeriod = typeof TrafficPeriod.Type

const buckets = {
  last_24h: { unit: "hour", count: 24 },
  last_7d: { unit: "day", count: 7 },
  last_30d: { unit: "day", count: 30 }
} as const

const widths = { hour: Duration.hours(1), day: Duration.days(1) }

/** The start of point `index` of a window, and the end of the point before it. */
export const startOf = ({ from, unit }: TrafficWindow, index: number): DateTime.Utc =>
  DateTime.addDuration(from, Duration.times(widths[unit], index))

/** The window of a period, aligned to hours or days. The running hour or day is its last point. */
export const windowOf = (period: TrafficPeriod, now: DateTime.Utc): TrafficWindow => {
  const { count, unit } = buckets[period]
  return { from: startOf({ from: DateTime.startOf(now, unit), unit, count }, 1 - count), unit, count }
}

/** Bytes of each point, and the sum of the cycle counters at the end of each point. */
export interface TrafficPoints {
  readonly used: ReadonlyArray<number>
  readonly counter: ReadonlyArray<number>
}

/** Counts each sum in its own point, and in the counters of all points from there to the end of its cycle. */
export const pointsOf = ({ count }: TrafficWindow, sums: ReadonlyArray<TrafficSum>): TrafficPoints => {
  const used = Array.from({ length: count }, () => 0)
  const rise = Array.from({ length: count }, () => 0)
  for (const { bytes, ended_in, point } of sums) {
    if (point >= count) continue
    if (point >= 0) used[point]! += Number(bytes)
    const begin = Math.max(0, point)
    const end = ended_in ?? count
    if (begin >= end) continue
    rise[begin]! += Number(bytes)
    if (end < count) rise[end]! -= Number(bytes)
  }
  let counter = 0
  return { used, counter: rise.map((bytes) => (counter += bytes)) }
}
