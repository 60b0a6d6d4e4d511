import { assert, describe, it } from "@effect/vitest"
import * as RecentKeys from "../../src/idempotency/RecentKeys.ts"

const unbounded = Number.POSITIVE_INFINITY
const [noon, later] = [new Date(0), new Date(1)]
const claim = (answer: string, expires_at = later) => ({
  request_hash: "hash",
  reference: null,
  answer,
  busy_until: noon,
  expires_at
})

describe("RecentKeys", () => {
  it("knows the last keys, and forgets the others in time", () => {
    const keys = RecentKeys.make({ keys: 3, characters: unbounded })
    const noted = ["a", "b", "c", "d", "a", "e", "f", "g", "b"].map((key) => [key, keys.note(key)])
    assert.deepStrictEqual(
      noted.filter(([, isKnown]) => isKnown),
      [["a", true]]
    )
    assert.isTrue(keys.note("e"))
  })

  it("keeps the answer of a key while the key is used, and forgets the answers of other keys in time", () => {
    const keys = RecentKeys.make({ keys: unbounded, characters: 10 })
    const answers = () => ["a", "b", "c", "d"].map((key) => keys.find(key, noon)?.answer)
    keys.keep("a", claim("1234567890"), 10)
    keys.keep("b", claim("12345"), 5)
    keys.keep("c", claim("67890"), 5)
    assert.deepStrictEqual(answers(), ["1234567890", "12345", "67890", undefined])
    keys.keep("d", claim("54321"), 5)
    assert.deepStrictEqual(answers(), [undefined, "12345", "67890", "54321"])
    assert.isTrue(keys.note("b"))
    keys.keep("e", claim("1"), 1)
    assert.deepStrictEqual(answers(), [undefined, "12345", undefined, "54321"])
  })

  it("has no answer of a claim that has ended", () => {
    const keys = RecentKeys.make({ keys: 3, characters: unbounded })
    keys.keep("a", claim("1", noon), 1)
    assert.isUndefined(keys.find("a", noon))
  })
})
