import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { IpVendors } from "../../../src/ip-check/vendors/IpVendors.ts"
import { VendorUsageRepo } from "../../../src/ip-check/vendors/VendorUsageRepo.ts"
import { failing, instance, ip, outside, vendorOf } from "./VendorInstances.ts"

layer(outside)("The quota of a vendor", (it) => {
  it.effect("is shared by all instances, and starts again the next day", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T23:59:00Z"))
      const quota = { per_day: 3, per_month: undefined }
      const { times, vendor } = vendorOf("daily", { quota })
      const [one, two] = [yield* instance(vendor), yield* instance(vendor)]
      yield* Effect.all(
        [one, two, one, two, one, two].map(({ statuses }) => statuses),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(times(), 3)
      assert.deepStrictEqual(yield* one.statuses, ["unavailable"])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* one.statuses, ["ok"])
    })
  )

  it.effect("of a month counts over its days, and does not count calls that the day refuses", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-28T12:00:00Z"))
      const { statuses } = yield* instance(vendorOf("monthly", { quota: { per_day: 2, per_month: 5 } }).vendor)
      const days: Array<number> = []
      for (let day = 28; day <= 32; day++) {
        const answers = yield* Effect.all([statuses, statuses, statuses])
        days.push(answers.flat().filter((status) => status === "ok").length)
        yield* TestClock.adjust("1 day")
      }
      assert.deepStrictEqual(days, [2, 2, 1, 2, 2])
    })
  )

  it.effect("does not start again for an instance whose clock is behind", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-12-01T00:00:01Z"))
      const { statuses } = yield* instance(vendorOf("skewed", { quota: { per_day: 1, per_month: 1 } }).vendor)
      assert.deepStrictEqual(yield* statuses, ["ok"])
      yield* TestClock.setTime(Date.parse("2026-11-30T23:59:59Z"))
      assert.deepStrictEqual(yield* statuses, ["unavailable"])
    })
  )

  it.effect("is not used by a paused vendor, and needs one statement for all vendors", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-12-05T12:00:00Z"))
      const quota = { per_day: 100, per_month: undefined }
      const { vendor } = vendorOf("broken", { quota, ask: () => failing() })
      const { statuses } = yield* instance(vendor, vendorOf("sound", { quota }).vendor, vendorOf("free").vendor)
      yield* Effect.repeat(statuses, { times: 8 })
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        SELECT vendor, calls_of_day FROM ip_vendor_usage WHERE vendor IN ('broken', 'sound', 'free') ORDER BY vendor
      `
      assert.deepStrictEqual(rows, [
        { vendor: "broken", calls_of_day: 5 },
        { vendor: "sound", calls_of_day: 9 }
      ])
    })
  )

  it.effect("prevents calls that cannot be counted, while vendors without a quota answer", () =>
    Effect.gen(function* () {
      const limited = vendorOf("limited", { quota: { per_day: 1, per_month: undefined } })
      const context = yield* Layer.build(
        IpVendors.layerOf(limited.vendor, vendorOf("free").vendor).pipe(
          Layer.provide(Layer.mock(VendorUsageRepo)({ take: () => Effect.never }))
        )
      )
      const fiber = yield* Effect.forkChild(
        IpVendors.use(({ ask }) => ask(ip)).pipe(Effect.timed, Effect.provide(context))
      )
      yield* TestClock.adjust("1 second")
      const [taken, reports] = yield* Fiber.join(fiber)
      assert.strictEqual(Duration.toSeconds(taken), 1)
      assert.deepStrictEqual(
        reports.map(({ row }) => row.status),
        ["unavailable", "ok"]
      )
      assert.strictEqual(limited.times(), 0)
    })
  )
})
