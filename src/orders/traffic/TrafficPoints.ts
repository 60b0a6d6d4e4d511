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

/** When point `index` of a window begins, which is when the one before it ends. */
export const startOf = ({ from, unit }: TrafficWindow, index: number): DateTime.Utc =>
  DateTime.addDuration(from, Duration.times(widths[unit], index))

/** The aligned points of a period, the running one last. */
export const windowOf = (period: TrafficPeriod, now: DateTime.Utc): TrafficWindow => {
  const { count, unit } = buckets[period]
  return { from: startOf({ from: DateTime.startOf(now, unit), unit, count }, 1 - count), unit, count }
}

/** Bytes of each point, and what the counters of the cycles that ran when it ended stood at. */
export interface TrafficPoints {
  readonly used: ReadonlyArray<number>
  readonly counter: ReadonlyArray<number>
}

/** What passed counts in its own point, and in every counter from there until its cycle ended. */
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
