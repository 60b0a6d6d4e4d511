import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { chart, ticksTo } from "../../src/pages/Chart.ts"

const amount = Schema.Finite.check(Schema.isBetween({ minimum: 1e-6, maximum: 1e12 }))

describe("the ticks of an axis", () => {
  it.prop(
    "begin at 0, lie evenly at round numbers, and reach the highest value without much room above it",
    [amount],
    ([highest]) => {
      const ticks = ticksTo(highest)
      assert.strictEqual(ticks[0], 0)
      assert.isAtLeast(ticks.length, 2)
      assert.isAtMost(ticks.length, 6)
      const step = ticks[1] ?? 0
      const last = ticks.at(-1) ?? 0
      assert.isAtLeast(last * (1 + 1e-6), highest)
      assert.isAtMost(last - highest, step * (1 + 1e-6))
      for (const [index, tick] of ticks.entries()) assert.closeTo(tick, index * step, step * 1e-4)
      const digits = step.toExponential().split("e")[0]
      assert.include(["1", "2", "2.5", "5"], digits)
    }
  )

  it.each([
    [0, [0, 0.25]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 25, 50, 75, 100]],
    [101, [0, 50, 100, 150]]
  ])("to %d are %j", (highest, ticks) => {
    assert.deepStrictEqual(ticksTo(highest), ticks)
  })
})

const chartOf = (values: ReadonlyArray<number>) =>
  chart({
    title: "<b>Traffic</b>",
    points: values.map((value, hour) => ({ at: DateTime.makeUnsafe(hour * 3_600_000), value })),
    valueText: (value) => `${value} <GB>`,
    timeText: (time) => DateTime.formatIso(time).slice(11, 16)
  }).text

describe("a chart", () => {
  it("says its sum and its peak, and has each value in a table", () => {
    const markup = chartOf([1, 5, 2])
    assert.include(markup, "<b>8 &lt;GB&gt;</b> in total, highest value 5 &lt;GB&gt; (01:00")
    assert.lengthOf([...markup.matchAll(/<th scope="row">/g)], 3)
    assert.include(markup, 'aria-label="&lt;b&gt;Traffic&lt;/b&gt;"')
  })

  it.each([[[]], [[0]], [[0, 0, 0]]])("of %j says that nothing was used", (values) => {
    assert.strictEqual(chartOf(values), '<p class="quiet">No traffic in this time.</p>')
  })

  it.each([[[1]], [[0, 0, 3]], [Array.from({ length: 720 }, (_, index) => index)]])(
    "of %j has only numbers in its shapes",
    (values) => {
      assert.notMatch(chartOf(values), /NaN|Infinity|undefined/)
    }
  )
})
