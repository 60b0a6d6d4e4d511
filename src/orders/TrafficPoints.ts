import { DateTime, Duration, Schema } from "effect"
import type { HourlyTraffic } from "../provider/ProxyProvider.ts"

export const TrafficPeriod = Schema.Literals(["last_24h", "last_7d", "last_30d"])
export type TrafficPeriod = typeof TrafficPeriod.Type

const buckets = {
  last_24h: { part: "hour", count: 24, width: Duration.hours(1) },
  last_7d: { part: "day", count: 7, width: Duration.days(1) },
  last_30d: { part: "day", count: 30, width: Duration.days(1) }
} as const

/** The aligned points of a period (UTC), the running one last; times in epoch milliseconds. */
export interface TrafficWindow {
  readonly period: TrafficPeriod
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly width: number
  readonly count: number
}

export const windowOf = (period: TrafficPeriod, now: DateTime.Utc): TrafficWindow => {
  const { count, part, width } = buckets[period]
  const to = DateTime.toEpochMillis(DateTime.addDuration(DateTime.startOf(now, part), width))
  const millis = Duration.toMillis(width)
  return { period, from: to - count * millis, to, width: millis, count }
}

/** A proxy whose provider meters its traffic. */
export interface MeteredProxy {
  readonly provider: string
  readonly provider_proxy_id: string
  /** In GB (10^9 bytes); null is unlimited. */
  readonly bandwidth_gb: number | null
  /** When its cycles began, in order; the first one at the latest when it was provisioned. */
  readonly cycles: ReadonlyArray<DateTime.Utc>
}

/** Bytes of each point, and what the counters of the cycles stood at when it ended. */
export interface TrafficPoints {
  readonly used: ReadonlyArray<number>
  readonly counter: ReadonlyArray<number>
}

const hour = Duration.toMillis(Duration.hours(1))

/** Traffic is known by the hour: a cycle counts the hour that it began in. */
const beginnings = ({ cycles }: MeteredProxy) =>
  cycles.map((at) => Math.floor(DateTime.toEpochMillis(at) / hour) * hour)

/** From when on a proxy's traffic matters: the beginning of the cycle that ran when the window opened. */
export const readFrom = ({ from }: TrafficWindow, proxy: MeteredProxy): number => {
  const begun = beginnings(proxy)
  return Math.min(from, begun.findLast((at) => at <= from) ?? begun[0] ?? from)
}

/** Sums the hours of some proxies into the points of a window. */
export const pointsOf = (
  { count, from, to, width }: TrafficWindow,
  proxies: ReadonlyArray<MeteredProxy>,
  hours: ReadonlyArray<HourlyTraffic>
): TrafficPoints => {
  const cycles = new Map(proxies.map((proxy) => [proxy.provider_proxy_id, beginnings(proxy)]))
  const used = Array.from({ length: count }, () => 0)
  const rise = Array.from({ length: count }, () => 0)
  const pointAt = (at: number) => Math.floor((at - from) / width)
  for (const traffic of hours) {
    const begun = cycles.get(traffic.provider_proxy_id)
    const at = DateTime.toEpochMillis(traffic.hour)
    if (begun === undefined || at >= to) continue
    const bytes = Number(traffic.bytes)
    const point = pointAt(at)
    if (point >= 0) used[point]! += bytes
    const next = begun.find((start) => start > at) ?? to
    const end = Math.max(0, pointAt(next))
    const begin = Math.max(0, point)
    rise[begin]! += bytes
    if (end < count) rise[end]! -= bytes
  }
  let counter = 0
  return { used, counter: rise.map((bytes) => (counter += bytes)) }
}

export const add = (a: TrafficPoints, b: TrafficPoints): TrafficPoints => ({
  used: a.used.map((bytes, point) => bytes + (b.used[point] ?? 0)),
  counter: a.counter.map((bytes, point) => bytes + (b.counter[point] ?? 0))
})
