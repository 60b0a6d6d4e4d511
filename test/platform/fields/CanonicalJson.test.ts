import { assert, describe, it } from "@effect/vitest"
import { canonicalDigest, canonicalJson } from "../../../src/platform/fields/CanonicalJson.ts"

describe("Canonical JSON", () => {
  it("sorts the keys at every depth, and keeps the order of lists", () => {
    const value = { b: [{ d: 1, c: null }, "é", [2, 1]], a: { z: true, y: undefined, x: {} } }
    assert.strictEqual(canonicalJson(value), '{"a":{"x":{},"z":true},"b":[{"c":null,"d":1},"é",[2,1]]}')
  })

  it("is the same for equal values only", () => {
    assert.strictEqual(canonicalDigest({ a: 1, b: 2 }), canonicalDigest({ b: 2, a: 1 }))
    assert.notStrictEqual(canonicalDigest({ a: [1, 2] }), canonicalDigest({ a: [2, 1] }))
    assert.strictEqual(canonicalJson(undefined), "null")
  })
})
