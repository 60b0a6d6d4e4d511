import { assert, describe, it } from "@effect/vitest"
import * as RecentKeys from "../../src/idempotency/RecentKeys.ts"

describe("RecentKeys", () => {
  it("knows the last keys, and forgets the others in time", () => {
    const keys = RecentKeys.make(3)
    const noted = ["a", "b", "c", "d", "a", "e", "f", "g", "b"].map((key) => [key, keys.note(key)])
    assert.deepStrictEqual(
      noted.filter(([, isKnown]) => isKnown),
      [["a", true]]
    )
    assert.isTrue(keys.note("e"))
  })
})
