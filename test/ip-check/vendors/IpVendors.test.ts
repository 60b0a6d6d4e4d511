import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Redacted, Struct } from "effect"
import { TestClock } from "effect/testing"
import * as AbuseIpdb from "../../../src/ip-check/vendors/AbuseIpdb.ts"
import { start } from "../../provider/vendors/VendorServer.ts"
import { clean, failing, instance, ip, outside, unlimited, vendorOf } from "./VendorInstances.ts"

layer(outside)("The vendors of IP reputation", (it) => {
  it.effect("answer one report each, with the score, or the midpoint of the band", () =>
    Effect.gen(function* () {
      const bare = Struct.omit(clean, ["score"])
      const vendors = [
        vendorOf("a"),
        vendorOf("b", { ask: () => Effect.succeed({ ...clean, score: 7.5 }) }),
        ...(["clean", "suspicious", "high_risk"] as const).map((band) =>
          vendorOf(band, { ask: () => Effect.succeed({ ...bare, band }) })
        )
      ]
      const { ask } = yield* instance(...vendors.map(({ vendor }) => vendor))
      const reports = yield* ask(ip)
      assert.deepStrictEqual(reports[0], {
        row: {
          vendor: "a",
          label: "Vendor a",
          status: "ok",
          band: "clean",
          score: 7,
          risk: "low",
          score_metric: "a number",
          risk_metric: "a word",
          score_derived: false
        },
        signals: {},
        raw: { status_code: 200, body: "{}" }
      })
      assert.deepStrictEqual(
        reports.map(({ row }) => row.status === "ok" && [row.score, row.score_derived]),
        [
          [7, false],
          [8, false],
          [16, true],
          [50, true],
          [83, true]
        ]
      )
    })
  )

  it.effect("answer an unavailable row for a failed vendor, and keep its raw answer", () =>
    Effect.gen(function* () {
      const raw = { status_code: 500, body: "broken" }
      const { ask } = yield* instance(vendorOf("a", { ask: () => failing({ raw }) }).vendor)
      const source = { vendor: "a", label: "Vendor a", score_metric: "a number", risk_metric: "a word" }
      assert.deepStrictEqual(yield* ask(ip), [
        { row: { ...source, score_derived: false, status: "unavailable" }, signals: {}, raw }
      ])
    })
  )

  it.effect("answer no report about IPv6 from a vendor that does not know it", () =>
    Effect.gen(function* () {
      const old = vendorOf("old", { ipv6: false })
      const onlyOld = yield* instance(old.vendor)
      assert.deepStrictEqual([yield* onlyOld.canAnswer(ip), yield* onlyOld.canAnswer("2606:4700::1111")], [true, false])
      const { ask } = yield* instance(old.vendor, vendorOf("new").vendor)
      const reports = yield* ask("2606:4700::1111")
      assert.deepStrictEqual(
        reports.map(({ row }) => row.vendor),
        ["new"]
      )
      assert.strictEqual(old.times(), 0)
      assert.lengthOf(yield* ask(ip), 2)
    })
  )

  it.effect("answer no report when none is configured", () =>
    Effect.gen(function* () {
      const { ask, canAnswer } = yield* instance()
      assert.deepStrictEqual(yield* ask(ip), [])
      assert.isFalse(yield* canAnswer(ip))
    })
  )

  it.effect("are asked at the same time, and a silent one is unavailable after three seconds", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const hanging = vendorOf("hanging", {
        ask: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      })
      const { statuses } = yield* instance(hanging.vendor, vendorOf("quick").vendor)
      const fiber = yield* Effect.forkChild(Effect.timed(statuses))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("3 seconds")
      const [taken, said] = yield* Fiber.join(fiber)
      assert.deepStrictEqual([Duration.toSeconds(taken), said], [3, ["unavailable", "ok"]])
    })
  )

  it.effect("are given up on after three seconds when a server never answers", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const server = yield* start(() => {
        Deferred.doneUnsafe(begun, Effect.void)
        return "hang"
      })
      const settings = { api_key: Redacted.make("key"), api_url: server.url, quota: unlimited }
      const { statuses } = yield* instance(yield* AbuseIpdb.make(settings))
      const fiber = yield* Effect.forkChild(statuses)
      yield* Deferred.await(begun)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["unavailable"])
    })
  )

  it.effect("answer although one of them fails with a defect", () =>
    Effect.gen(function* () {
      const broken = vendorOf("broken", { ask: () => Effect.die(new Error("a bug")) })
      const { statuses } = yield* instance(broken.vendor, vendorOf("other").vendor)
      assert.deepStrictEqual(yield* statuses, ["unavailable", "ok"])
    })
  )
})
