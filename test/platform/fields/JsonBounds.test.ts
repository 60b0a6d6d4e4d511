import { assert, describe, it } from "@effect/vitest"
import { faultOf } from "../../../src/platform/fields/JsonBounds.ts"

const lists = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

describe("A body of free JSON", () => {
  it("has at most 32 levels of lists and objects", () => {
    assert.isUndefined(faultOf(lists(32)))
    for (const deep of [lists(33), `${'{"a":'.repeat(33)}1${"}".repeat(33)}`, "[".repeat(33)])
      assert.match(faultOf(deep) ?? "", /at most 32 levels/)
  })

  it("has at most 2,000 values, in one list or in many", () => {
    assert.isUndefined(faultOf(`[${"1,".repeat(1998)}1]`))
    for (const large of [`[${"1,".repeat(2000)}1]`, `[${"[],".repeat(1001)}1]`, "{}\n".repeat(2000)])
      assert.match(faultOf(large) ?? "", /at most 2000 values/)
  })

  it("may contain any number of brackets and commas inside a text", () => {
    assert.isUndefined(faultOf(JSON.stringify({ text: `${"[,".repeat(3000)}\\"`, other: ["\\", '"', "]"] })))
  })
})
