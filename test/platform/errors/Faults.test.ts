import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { faultsAt } from "../../../src/platform/errors/Faults.ts"

const told = (schema: Schema.Decoder<unknown>, input: unknown) => {
  const result = Schema.decodeUnknownResult(schema)(input)
  return Result.isFailure(result) ? faultsAt("body", result.failure.issue).map(({ msg }) => msg) : []
}

describe("The fault of a value outside a union of words", () => {
  it.each([
    [Schema.Literals(["USD", "STAR"]), "Expected one of USD, STAR"],
    [Schema.NullOr(Schema.Literals(["USD", "STAR"])), "Expected one of USD, STAR"],
    [Schema.Literals([`a"b`, "c | d", "e"]), `Expected one of a"b, c | d, e`],
    [Schema.Literals([1, 2]), "Expected 1 | 2"],
    [Schema.NullOr(Schema.Number), "Expected number | null"]
  ] as const)("lists the expected words: %#", (schema, expected) => {
    assert.deepStrictEqual(told(schema, "EUR"), [expected])
  })
})
