import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import { leaseBytes, type MeteredLink, TrafficMeter } from "../../../src/gateway/traffic/TrafficMeter.ts"

const limited = { cycle: 1, limit_bytes: 1_000_000n, used_bytes: 0n, leased_bytes: 0n }
const unlimited = { cycle: 1, limit_bytes: null, used_bytes: 0n, leased_bytes: 0n }

const make = (row: Parameters<TrafficMeter["configure"]>[0]) => {
  const seen = { demands: 0, resumed: 0, ended: 0 }
  const meter = new TrafficMeter("proxy", () => seen.demands++)
  meter.configure(row)
  const link: MeteredLink = { resumeTraffic: () => seen.resumed++, endTraffic: () => seen.ended++ }
  return { meter, seen, link }
}

const lease = (leased_bytes: number, last = false, cycle = 1) => ({ cycle, leased_bytes, last })

const byCycle = ({ hours }: ReturnType<TrafficMeter["report"]>) => hours.map(({ bytes, cycle }) => [cycle, bytes])

const microtasks = () => new Promise((settle) => setImmediate(settle))

describe("TrafficMeter", () => {
  it("counts bytes by the hour without a limit, and asks for no lease", () => {
    const { link, meter, seen } = make(unlimited)
    meter.attach(link)
    assert.strictEqual(meter.spend(70_000), 70_000)
    assert.strictEqual(meter.spend(5), 5)
    assert.strictEqual(seen.demands, 0)
    const report = meter.report(performance.now())
    assert.strictEqual(report.bytes, 70_005)
    assert.strictEqual(report.hours[0]!.hour_seconds % 3_600, 0)
    meter.confirm(lease(0))
    assert.isTrue(meter.isClean)
  })

  it("asks for a report whenever the bytes of a lease have passed without a limit", () => {
    const { link, meter, seen } = make(unlimited)
    meter.attach(link)
    for (let round = 1; round <= 3; round++) {
      meter.spend(leaseBytes - 1)
      assert.strictEqual(seen.demands, round - 1)
      meter.spend(1)
      assert.strictEqual(seen.demands, round)
      assert.isTrue(meter.isDue(true, performance.now()))
      assert.strictEqual(meter.report(performance.now()).bytes, leaseBytes)
      meter.confirm(lease(0))
    }
  })

  it("knows that a connection is in use, even when the wall clock is set back", () => {
    const { link, meter } = make(limited)
    meter.attach(link)
    meter.report(performance.now())
    meter.confirm(lease(100))
    const wall = vi.spyOn(Date, "now").mockReturnValue(Date.now() - 3_600_000)
    onTestFinished(() => wall.mockRestore())
    meter.spend(10)
    assert.isTrue(meter.report(performance.now()).hold)
  })

  it("passes nothing before the first lease, and asks for one when a client connects", () => {
    const { link, meter, seen } = make(limited)
    meter.attach(link)
    assert.strictEqual(seen.demands, 1)
    assert.strictEqual(meter.spend(10), 0)
    assert.deepInclude(meter.report(performance.now()), { bytes: 0, hold: true })
    const before = seen.resumed
    meter.confirm(lease(100))
    assert.strictEqual(seen.resumed, before + 1)
    assert.strictEqual(meter.spend(10), 10)
  })

  it("never passes more than the lease, with reports under way, late or repeated", () => {
    const { link, meter } = make(limited)
    meter.attach(link)
    meter.report(performance.now())
    meter.confirm(lease(100))
    assert.strictEqual(meter.spend(60), 60)
    assert.strictEqual(meter.report(performance.now()).bytes, 60)
    assert.strictEqual(meter.spend(60), 40)
    // The database reduced the lease by 60 and filled it up by only 30.
    meter.confirm(lease(70))
    assert.strictEqual(meter.spend(60), 30)
    assert.strictEqual(meter.spend(60), 0)
    assert.strictEqual(meter.report(performance.now()).bytes, 70)
  })

  it("ends every connection when the last byte has passed", async () => {
    const { link, meter, seen } = make(limited)
    meter.attach(link)
    meter.report(performance.now())
    meter.confirm(lease(100, true))
    assert.isFalse(meter.exhausted)
    assert.strictEqual(meter.spend(150), 100)
    assert.isTrue(meter.exhausted)
    await microtasks()
    assert.strictEqual(seen.ended, 1)
  })

  it("passes nothing when the row shows a used-up limit, until more is bought", () => {
    const { meter } = make({ ...limited, limit_bytes: 10n, used_bytes: 10n, leased_bytes: 0n })
    assert.isTrue(meter.exhausted)
    meter.configure({ ...limited, limit_bytes: 20n, used_bytes: 10n, leased_bytes: 0n })
    assert.isFalse(meter.exhausted)
  })

  it("prefers a bought limit to an older answer", () => {
    const { link, meter } = make(limited)
    meter.attach(link)
    meter.report(performance.now())
    meter.configure({ ...limited, limit_bytes: 2_000_000n, used_bytes: 1_000_000n, leased_bytes: 0n })
    meter.confirm(lease(0, true))
    assert.isFalse(meter.exhausted)
  })

  it("asks only once per round when other gateways hold the rest", () => {
    const { link, meter, seen } = make(limited)
    meter.attach(link)
    meter.spend(10)
    meter.report(performance.now())
    meter.confirm(lease(0))
    assert.strictEqual(meter.spend(10), 0)
    assert.strictEqual(seen.demands, 1)
    assert.isFalse(meter.isDue(true, performance.now()))
    assert.isTrue(meter.isDue(false, performance.now()))
  })

  it("returns its lease when idle, and spends nothing of it meanwhile", () => {
    const { link, meter } = make(limited)
    meter.attach(link)
    meter.report(performance.now())
    meter.confirm(lease(100))
    assert.strictEqual(meter.spend(10), 10)
    const later = performance.now() + 60_000
    const report = meter.report(later)
    assert.deepInclude(report, { bytes: 10, hold: false })
    assert.strictEqual(meter.spend(10), 0)
    meter.confirm(lease(0))
    assert.isTrue(meter.isDue(true, later), "the byte that waits asks again")
  })

  it("forgets the bytes that a settled lease paid for, and keeps the others", () => {
    const paid = make(limited)
    paid.meter.attach(paid.link)
    paid.meter.report(performance.now())
    paid.meter.confirm(lease(100))
    paid.meter.spend(60)
    paid.meter.forfeit(false)
    paid.meter.detach(paid.link)
    assert.isTrue(paid.meter.isClean)

    const open = make(unlimited)
    open.meter.spend(60)
    open.meter.report(performance.now())
    open.meter.spend(5)
    open.meter.forfeit(false)
    assert.strictEqual(open.meter.report(performance.now()).bytes, 65)
    open.meter.forfeit(true)
    assert.isTrue(open.meter.isClean)
  })

  it("begins a cycle without a lease, and reports earlier bytes without a charge", () => {
    const { link, meter, seen } = make(limited)
    meter.attach(link)
    meter.report(performance.now())
    meter.confirm(lease(100))
    meter.spend(60)
    const before = seen.resumed
    meter.configure({ ...limited, cycle: 2 })
    assert.strictEqual(seen.resumed, before + 1)
    assert.strictEqual(meter.spend(10), 0)
    const report = meter.report(performance.now())
    assert.deepInclude(report, { cycle: 2, bytes: 0, hold: true })
    assert.deepStrictEqual(byCycle(report), [[1, 60]])
    meter.confirm(lease(100, false, 2))
    assert.strictEqual(meter.spend(200), 100)
    assert.deepStrictEqual(byCycle(meter.report(performance.now())), [[2, 100]])
  })

  it("spends no lease of an earlier cycle, and asks for a new one immediately", () => {
    const { link, meter, seen } = make(limited)
    meter.attach(link)
    assert.deepInclude(meter.report(performance.now()), { cycle: 1, hold: true })
    meter.configure({ ...limited, cycle: 2 })
    meter.confirm(lease(100, true))
    assert.isFalse(meter.exhausted)
    const before = seen.demands
    assert.strictEqual(meter.spend(10), 0)
    assert.strictEqual(seen.demands, before + 1)
  })

  it("asks only once per round until it knows the next cycle", () => {
    const { link, meter, seen } = make(limited)
    meter.attach(link)
    meter.report(performance.now())
    meter.confirm(lease(100, false, 2))
    const before = seen.demands
    assert.strictEqual(meter.spend(10), 0)
    assert.strictEqual(seen.demands, before)
    meter.configure({ ...limited, cycle: 2 })
    assert.strictEqual(meter.spend(10), 0)
    assert.strictEqual(seen.demands, before + 1)
  })

  it("charges a lost report of an ended cycle to no cycle, and still counts it by the hour", () => {
    const { meter } = make(unlimited)
    meter.spend(60)
    meter.report(performance.now())
    meter.configure({ ...unlimited, cycle: 2 })
    meter.spend(5)
    meter.forfeit(false)
    const report = meter.report(performance.now())
    assert.deepInclude(report, { cycle: 2, bytes: 5 })
    assert.sameDeepMembers(byCycle(report), [
      [1, 60],
      [2, 5]
    ])
  })
})
