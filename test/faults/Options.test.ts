import { assert, describe, it } from "@effect/vitest"
import { lacking, read } from "../../faults/Options.ts"

describe("The options of the fault harness", () => {
  it("default to four thousand orders in ten minutes, with any seed", () => {
    const { plant, seed, ...extent } = Object(read([]))
    assert.deepStrictEqual(extent, { orders: 4000, minutes: 10 })
    assert.isAbove(seed, 0)
    assert.isUndefined(plant)
  })

  it.each([
    ["--orders=0", "--orders takes a positive whole number"],
    ["--orders=many", "--orders takes a positive whole number"],
    ["--seed=1.5", "--seed takes a positive whole number"],
    ["--minutes=-1", "--minutes takes a positive number"],
    ["--plant=orchid", "There is no plant orchid; --plant=list names them"],
    ["--order=5", "Unknown option '--order'"]
  ])("refuse %s with a sentence", (option, sentence) => {
    assert.strictEqual(read([option]), sentence)
  })
})

describe("A run", () => {
  it.each([
    [4000, { orders: 4000, kills: 31 }, true],
    [4000, { orders: 3999, kills: 200 }, false],
    [4000, { orders: 4000, kills: 30 }, false],
    [100, { orders: 100, kills: 0 }, false],
    [100, { orders: 100, kills: 1 }, true]
  ])("for %i orders with %o has tried enough: %s", (wanted, done, isEnough) => {
    assert.strictEqual(lacking(wanted, done) === undefined, isEnough)
  })
})
