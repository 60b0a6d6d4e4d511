import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { summarize } from "../../src/orders/TrafficUsageView.ts"

const at = (iso: string) => DateTime.makeUnsafe(iso)
const traffic = (iso: string, gb: number) => ({
  provider_proxy_id: "p",
  hour: at(iso),
  bytes: BigInt(Math.round(gb * 1e9))
})
const now = at("2026-03-10T12:34:56Z")

describe("TrafficUsage", () => {
  it("last_24h has 24 hourly points, the running hour last", () => {
    const usage = summarize("last_24h", now, {
      hours: [traffic("2026-03-09T12:00:00Z", 5), traffic("2026-03-10T12:00:00Z", 0.25)],
      cycle_started_at: at("2026-03-01T00:30:00Z"),
      limit_gb: 50
    })
    assert.deepStrictEqual([usage.from_at, usage.to_at], ["2026-03-09T13:00:00.000Z", "2026-03-10T13:00:00.000Z"])
    assert.strictEqual(usage.points.length, 24)
    assert.deepStrictEqual(usage.points.at(-1), {
      timestamp: "2026-03-10T12:00:00.000Z",
      used_delta_gb: 0.25,
      used_total_gb: 5.25,
      total_limit_gb: 50
    })
    assert.deepStrictEqual(usage.points[0]?.used_delta_gb, 0)
    assert.deepStrictEqual(usage.summary, { total_used_gb: 0.25, avg_per_period_gb: 0.25 / 24 })
  })

  it.each([
    ["last_7d", 7, "2026-03-04T00:00:00.000Z"],
    ["last_30d", 30, "2026-02-09T00:00:00.000Z"]
  ] as const)("%s has %s daily points from %s", (period, count, from) => {
    const usage = summarize(period, now, {
      hours: [traffic("2026-03-08T23:00:00Z", 1), traffic("2026-03-09T00:00:00Z", 2)],
      cycle_started_at: null,
      limit_gb: 0
    })
    assert.deepStrictEqual([usage.points.length, usage.from_at, usage.to_at], [count, from, "2026-03-11T00:00:00.000Z"])
    assert.deepStrictEqual(
      usage.points.slice(-3).map(({ used_delta_gb, used_total_gb }) => [used_delta_gb, used_total_gb]),
      [
        [1, 1],
        [2, 3],
        [0, 3]
      ]
    )
    assert.strictEqual(usage.summary.total_used_gb, 3)
  })

  it("an earlier cycle does not count into the running one's total", () => {
    const usage = summarize("last_7d", now, {
      hours: [traffic("2026-03-05T00:00:00Z", 9), traffic("2026-03-10T01:00:00Z", 1)],
      cycle_started_at: at("2026-03-09T00:00:00Z"),
      limit_gb: 20
    })
    assert.deepStrictEqual(usage.points.map((point) => point.used_total_gb).slice(-3), [0, 0, 1])
    assert.strictEqual(usage.summary.total_used_gb, 10)
  })
})
