import { assert, describe, it } from "@effect/vitest"
import { SilenceWatch } from "../../../src/gateway/traffic/SilenceWatch.ts"

const still = { id: "still", report: 7 }
const moving = (report: number) => ({ id: "moving", report })

describe("SilenceWatch", () => {
  it("finds a gateway silent only after 30 seconds without a new report", () => {
    const watch = new SilenceWatch()
    for (const now of [0, 10_000, 20_000, 29_999]) {
      assert.deepStrictEqual(watch.look([still, moving(now)], now), [])
    }
    assert.deepStrictEqual(watch.look([still, moving(30_000)], 30_000), [still])
  })

  it("starts again with every report", () => {
    const watch = new SilenceWatch()
    for (const now of [0, 10_000, 20_000]) watch.look([moving(1)], now)
    assert.deepStrictEqual(watch.look([moving(2)], 30_000), [])
    for (const now of [40_000, 50_000]) assert.deepStrictEqual(watch.look([moving(2)], now), [])
    assert.deepStrictEqual(watch.look([moving(2)], 60_000), [moving(2)])
  })

  it("starts again after a lost connection or a delay", () => {
    const watch = new SilenceWatch()
    for (const now of [0, 10_000, 20_000]) watch.look([still], now)
    watch.startOver()
    assert.deepStrictEqual(watch.look([still], 30_000), [])
    assert.deepStrictEqual(watch.look([still], 90_000), [])
    for (const now of [100_000, 110_000]) assert.deepStrictEqual(watch.look([still], now), [])
    assert.deepStrictEqual(watch.look([still], 120_000), [still])
  })

  it("looks every ten seconds", () => {
    const watch = new SilenceWatch()
    assert.isTrue(watch.isDue(0))
    watch.look([], 0)
    assert.isFalse(watch.isDue(9_999))
    assert.isTrue(watch.isDue(10_000))
  })
})
