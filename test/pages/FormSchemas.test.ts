import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { Decimal, TypedAmount } from "../../src/pages/FormSchemas.ts"

const amountIn = (typed: string) => Option.getOrUndefined(Schema.decodeUnknownOption(TypedAmount)(typed))

describe("An amount that a person types", () => {
  for (const [typed, amount] of [
    ["1000", "1000"],
    [" 12.5 ", "12.5"],
    ["12,50", "12.50"],
    ["0.125", "0.125"],
    ["0,000001", "0.000001"]
  ] as const)
    it(`reads ${typed} as ${amount}`, () => assert.strictEqual(amountIn(typed), amount))

  for (const typed of [
    "1,000",
    "1.000",
    "12,345",
    "1,000.50",
    "1.000,50",
    "1 000",
    "1'000",
    "1,00,000",
    "",
    "-1",
    "1e3"
  ])
    it(`refuses ${typed}`, () => assert.isUndefined(amountIn(typed)))
})

describe("A decimal that a page wrote", () => {
  it("has a point, and no comma", () => {
    const decode = Schema.decodeUnknownOption(Decimal)
    assert.deepStrictEqual(decode("1.125"), Option.some(1.125))
    for (const wrong of ["1,125", "1,000", " 1", "1.0000000"]) assert.isTrue(Option.isNone(decode(wrong)), wrong)
  })
})
