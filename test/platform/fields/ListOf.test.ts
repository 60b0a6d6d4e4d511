import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { listOf } from "../../../src/platform/fields/ListOf.ts"

let visited = 0
const Item = Schema.String.check(
  Schema.makeFilter((text) => {
    visited += 1
    return text === "right" || "is wrong"
  })
)
const List = listOf(Item, { minimum: 1, maximum: 3, description: "Some", examples: [["right"]] })
const decode = Schema.decodeUnknownResult(Schema.toCodecJson(List), { errors: "all" })

const told = (input: unknown) => {
  visited = 0
  return Result.match(decode(input), { onFailure: ({ message }) => message, onSuccess: (list) => list })
}

describe("A list in a request", () => {
  it("is refused for its length before any element is decoded", () => {
    for (const long of [["right", "right", "right", "right"], Array.from({ length: 30_000 }, () => "wrong")]) {
      assert.strictEqual(told(long), "Expected 1 to 3 elements")
      assert.strictEqual(visited, 0)
    }
    assert.strictEqual(told([]), "Expected 1 to 3 elements")
  })

  it("names every wrong element, and is accepted without one", () => {
    assert.match(String(told(["right", "wrong", 1])), /is wrong\n {2}at \[1\]\nExpected string\n {2}at \[2\]/)
    assert.deepStrictEqual(told(["right", "right"]), ["right", "right"])
    assert.strictEqual(told("right"), "Expected array")
  })

  it("documents its bounds in its JSON schema", () => {
    assert.deepStrictEqual(Schema.toJsonSchemaDocument(Schema.toCodecJson(List)).schema, {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      maxItems: 3,
      description: "Some",
      examples: [["right"]]
    })
  })
})
