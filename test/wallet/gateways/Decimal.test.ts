import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Decimal, wholeCents } from "../../../src/wallet/gateways/Decimal.ts"

describe("Amounts of vendors", () => {
  it.each([
    { dollars: "25", times: "1", over: "1", expected: 25_000_000n },
    { dollars: "25.009", times: "1", over: "1", expected: 25_000_000n },
    { dollars: "0.00050001", times: "50000.0", over: "1", expected: 25_000_000n },
    { dollars: "0.0005", times: "49999.99", over: "1", expected: 24_990_000n },
    { dollars: "25", times: "1e-7", over: "5E-4", expected: 0n },
    { dollars: "25", times: "0.0001", over: "5e-4", expected: 5_000_000n },
    { dollars: "2.5e1", times: "1", over: "1e+0", expected: 25_000_000n },
    { dollars: "0.1", times: "3", over: "1", expected: 300_000n },
    { dollars: "1", times: "1", over: "3", expected: 330_000n },
    { dollars: "1", times: "1", over: "0", expected: undefined },
    { dollars: "9".repeat(30), times: "1", over: "1", expected: undefined },
    { dollars: "1e99", times: "1e99", over: "1", expected: undefined }
  ])("$dollars * $times / $over are $expected micro-dollars", ({ dollars, expected, over, times }) => {
    assert.strictEqual(wholeCents(dollars, times, over), expected)
  })

  it("are refused when they are not decimal numbers", () => {
    for (const text of ["", "-1", "+1", "1.", ".5", "1,5", "NaN", "Infinity", "0x10", "1e100", "9".repeat(31), "1 "])
      assert.isFalse(Schema.is(Decimal)(text), text)
  })
})
