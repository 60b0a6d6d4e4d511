import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { pointsOf, type TrafficPeriod, windowOf } from "../../../src/orders/traffic/TrafficPoints.ts"
import { trafficUsageView } from "../../../src/orders/traffic/TrafficUsageView.ts"
import type { TrafficSum } from "../../../src/provider/ProxyProvider.ts"

const now = DateTime.makeUnsafe("2026-03-10T12:34:56Z")

const sum = (point: number, gb: number, ended_in: number | null = null): TrafficSum => ({
  point,
  ended_in,
  bytes: BigInt(Math.round(gb * 1e9))
})

const usageOf = (period: TrafficPeriod, sums: ReadonlyArray<TrafficSum>, limit: number | null = 50) => {
  const window = windowOf(period, now)
  return trafficUsageView(period, window, pointsOf(window, sums), limit)
}

describe("The points of a traffic period", () => {
  it("are 24 hourly points for last_24h, with the running hour last", () => {
    const usage = usageOf("last_24h", [sum(-1, 5), sum(23, 0.25)])
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
  ] as const)("%s has %s daily points from %s, also days without traffic", (period, count, from) => {
    const usage = usageOf(period, [sum(count - 3, 1), sum(count - 2, 2)], null)
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

  it("restart the counter with every cycle, also when several cycles begin in one period or one day", () => {
    const usage = usageOf("last_7d", [
      sum(-1, 8, 2),
      sum(1, 4, 2),
      sum(2, 2, 2),
      sum(2, 1, 4),
      sum(4, 16, 4),
      sum(4, 0.5, 2),
      sum(4, 32)
    ])
    assert.deepStrictEqual(
      usage.points.map(({ used_delta_gb, used_total_gb }) => [used_delta_gb, used_total_gb]),
      [
        [0, 8],
        [4, 12],
        [3, 1],
        [0, 1],
        [48.5, 32],
        [0, 32],
        [0, 32]
      ]
    )
  })

  const point = Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 8 }))
  const part = Schema.Struct({
    point,
    ended_in: Schema.NullOr(point),
    bytes: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 1_000n }))
  })

  it.prop(
    "have counters that sum the traffic of all cycles that are still running",
    [Schema.Array(part)],
    ([parts]) => {
      const points = pointsOf(windowOf("last_7d", now), parts)
      const bytes = (which: (part: TrafficSum) => boolean) =>
        parts.filter(which).reduce((sum, { bytes }) => sum + Number(bytes), 0)
      const indexes = [0, 1, 2, 3, 4, 5, 6]
      assert.deepStrictEqual(
        points.used,
        indexes.map((index) => bytes(({ point }) => point === index))
      )
      assert.deepStrictEqual(
        points.counter,
        indexes.map((index) => bytes(({ ended_in, point }) => point <= index && (ended_in ?? 7) > index))
      )
    }
  )
})
