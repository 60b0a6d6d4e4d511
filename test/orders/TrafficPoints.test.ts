import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import {
  add,
  type MeteredProxy,
  pointsOf,
  readFrom,
  type TrafficPeriod,
  windowOf
} from "../../src/orders/TrafficPoints.ts"
import { trafficUsage } from "../../src/orders/TrafficUsageView.ts"

const at = (iso: string) => DateTime.makeUnsafe(iso)
const now = at("2026-03-10T12:34:56Z")

const proxy = (cycles: ReadonlyArray<string>, bandwidth_gb: number | null = 50, id = "p"): MeteredProxy => ({
  provider: "memory",
  provider_proxy_id: id,
  bandwidth_gb,
  cycles: cycles.map(at)
})

const traffic = (iso: string, gb: number, id = "p") => ({
  provider_proxy_id: id,
  hour: at(iso),
  bytes: BigInt(Math.round(gb * 1e9))
})

const usageOf = (
  period: TrafficPeriod,
  proxies: ReadonlyArray<MeteredProxy>,
  hours: ReadonlyArray<ReturnType<typeof traffic>>
) => {
  const window = windowOf(period, now)
  return trafficUsage(window, proxies, pointsOf(window, proxies, hours))
}

describe("Traffic in points", () => {
  it("last_24h has 24 hourly points, the running hour last", () => {
    const hours = [traffic("2026-03-09T12:00:00Z", 5), traffic("2026-03-10T12:00:00Z", 0.25)]
    const usage = usageOf("last_24h", [proxy(["2026-03-01T00:30:00Z"])], hours)
    assert.deepStrictEqual([usage.from_at, usage.to_at], ["2026-03-09T13:00:00.000Z", "2026-03-10T13:00:00.000Z"])
    assert.strictEqual(usage.points.length, 24)
    assert.deepStrictEqual(usage.points.at(-1), {
      timestamp: "2026-03-10T12:00:00.000Z",
      used_delta_gb: 0.25,
      used_total_gb: 5.25,
      total_limit_gb: 50
    })
    assert.deepStrictEqual([usage.points[0]?.used_delta_gb, usage.points[0]?.used_total_gb], [0, 5])
    assert.deepStrictEqual(usage.summary, { total_used_gb: 0.25, avg_per_period_gb: 0.25 / 24 })
  })

  it.each([
    ["last_7d", 7, "2026-03-04T00:00:00.000Z"],
    ["last_30d", 30, "2026-02-09T00:00:00.000Z"]
  ] as const)("%s has %s daily points from %s, those without traffic among them", (period, count, from) => {
    const hours = [traffic("2026-03-08T23:00:00Z", 1), traffic("2026-03-09T00:00:00Z", 2)]
    const usage = usageOf(period, [proxy(["2026-02-01T00:00:00Z"], null)], hours)
    assert.deepStrictEqual([usage.points.length, usage.from_at, usage.to_at], [count, from, "2026-03-11T00:00:00.000Z"])
    assert.deepStrictEqual(
      usage.points
        .slice(-3)
        .map(({ total_limit_gb, used_delta_gb, used_total_gb }) => [used_delta_gb, used_total_gb, total_limit_gb]),
      [
        [1, 1, 0],
        [2, 3, 0],
        [0, 3, 0]
      ]
    )
    assert.strictEqual(usage.summary.total_used_gb, 3)
  })

  it("the counter starts again with every cycle, also when several begin in one period or one day", () => {
    const usage = usageOf(
      "last_7d",
      [proxy(["2026-03-01T00:00:00Z", "2026-03-06T10:20:00Z", "2026-03-08T00:00:00Z", "2026-03-08T09:00:00Z"])],
      [
        traffic("2026-03-02T00:00:00Z", 8),
        traffic("2026-03-05T00:00:00Z", 4),
        traffic("2026-03-06T09:00:00Z", 2),
        traffic("2026-03-06T10:00:00Z", 1),
        traffic("2026-03-08T00:00:00Z", 16),
        traffic("2026-03-08T09:00:00Z", 32)
      ]
    )
    assert.deepStrictEqual(
      usage.points.map(({ used_delta_gb, used_total_gb }) => [used_delta_gb, used_total_gb]),
      [
        [0, 8],
        [4, 12],
        [3, 1],
        [0, 1],
        [48, 32],
        [0, 32],
        [0, 32]
      ]
    )
  })

  it("an account's counters and limits add up; one proxy without a limit makes the sum unlimited", () => {
    const proxies = [proxy(["2026-03-01T00:00:00Z"], 5, "a"), proxy(["2026-03-09T00:00:00Z"], 20, "b")]
    const hours = [traffic("2026-03-08T00:00:00Z", 1, "a"), traffic("2026-03-09T05:00:00Z", 2, "b")]
    const usage = usageOf("last_7d", proxies, [...hours, traffic("2026-03-09T05:00:00Z", 64, "somebody else's")])
    assert.deepStrictEqual(
      usage.points.slice(-3).map(({ used_total_gb }) => used_total_gb),
      [1, 3, 3]
    )
    assert.deepStrictEqual([usage.points[0]?.total_limit_gb, usage.summary.total_used_gb], [25, 3])
    const unlimited = usageOf("last_7d", [...proxies, proxy([], null, "c")], hours)
    assert.strictEqual(unlimited.points[0]?.total_limit_gb, 0)
    assert.strictEqual(usageOf("last_7d", [], []).points[6]?.total_limit_gb, 0)
  })

  it("is read from the beginning of the cycle that ran when the period opened", () => {
    const window = windowOf("last_7d", now)
    const from = (...cycles: ReadonlyArray<string>) =>
      DateTime.formatIso(DateTime.makeUnsafe(readFrom(window, proxy(cycles))))
    assert.strictEqual(from("2026-02-01T10:20:00Z", "2026-03-02T10:20:00Z"), "2026-03-02T10:00:00.000Z")
    assert.strictEqual(from("2026-02-01T10:20:00Z", "2026-03-05T00:00:00Z"), "2026-02-01T10:00:00.000Z")
    assert.strictEqual(from("2026-03-05T00:00:00Z"), "2026-03-04T00:00:00.000Z")
  })

  const hourOf = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 24 * 12 }))

  it.prop(
    "every counter is the traffic since the last beginning of a cycle, whatever the order and the batches",
    [Schema.Array(hourOf), Schema.Array(hourOf)],
    ([used, restarts]) => {
      const start = DateTime.toEpochMillis(at("2026-03-01T00:00:00Z"))
      const time = (hour: number) => DateTime.makeUnsafe(start + hour * 3_600_000)
      const begun = [0, ...restarts].toSorted((a, b) => a - b)
      const metered: MeteredProxy = { ...proxy([]), cycles: begun.map(time) }
      const window = windowOf("last_7d", now)
      const hours = used.map((hour) => ({ provider_proxy_id: "p", hour: time(hour), bytes: 1n }))
      const half = Math.floor(hours.length / 2)
      const points = add(
        pointsOf(window, [metered], hours.slice(0, half)),
        pointsOf(window, [metered], hours.slice(half))
      )
      const expected = points.used.map((_, point) => {
        const end = (window.from + (point + 1) * window.width - start) / 3_600_000
        const cycle = begun.findLast((beginning) => beginning < end) ?? 0
        return used.filter((hour) => hour >= cycle && hour < end).length
      })
      assert.deepStrictEqual(points.counter, expected)
    }
  )
})
