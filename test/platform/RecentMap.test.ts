import { assert, describe, it } from "@effect/vitest"
import { RecentMap } from "../../src/platform/RecentMap.ts"

describe("A map of recent entries", () => {
  it("holds at most as many as it may, those that were set last", () => {
    const map = new RecentMap<string, number>(2)
    map.set("a", 1).set("b", 2).set("a", 3).set("c", 4)
    assert.deepStrictEqual(
      [...map],
      [
        ["a", 3],
        ["c", 4]
      ]
    )
  })
})
