import { assert, describe, it } from "@effect/vitest"
import * as Money from "../../src/platform/Money.ts"

const usd = (text: string) => Money.fromDecimal("USD", text)
const star = (text: string) => Money.fromDecimal("STAR", text)

describe("Money", () => {
  for (const [text, dollars, stars] of [
    ["0", 0n, 0n],
    ["1", 1_000_000n, 1n],
    ["12.5", 12_500_000n, undefined],
    ["12.0", 12_000_000n, 12n],
    ["0.000001", 1n, undefined],
    ["0.0000010", 1n, undefined],
    ["0.0000001", undefined, undefined],
    ["007", 7_000_000n, 7n],
    ["9007199254.740991", 9_007_199_254_740_991n, undefined],
    ["9007199254.740992", undefined, undefined],
    ["9007199254740991", undefined, 9_007_199_254_740_991n],
    ["9007199254740992", undefined, undefined],
    ["999999999999999.999999", undefined, undefined],
    ["9".repeat(100), undefined, undefined],
    ["", undefined, undefined],
    [".5", undefined, undefined],
    ["5.", undefined, undefined],
    ["-1", undefined, undefined],
    ["+1", undefined, undefined],
    ["1e3", undefined, undefined],
    ["1,5", undefined, undefined],
    [" 1", undefined, undefined],
    ["1\n", undefined, undefined],
    ["0x10", undefined, undefined],
    ["NaN", undefined, undefined]
  ] as const)
    it(`reads ${JSON.stringify(text.slice(0, 30))} as ${dollars ?? "no"} micro-dollars and ${stars ?? "no"} stars`, () => {
      assert.strictEqual(usd(text), dollars)
      assert.strictEqual(star(text), stars)
    })

  for (const [currency, amount, text, number] of [
    ["USD", 0n, "0.00", 0],
    ["USD", 1n, "0.000001", 0.000001],
    ["USD", 10_000n, "0.01", 0.01],
    ["USD", 1_500_000n, "1.50", 1.5],
    ["USD", 1_234_567n, "1.234567", 1.234567],
    ["USD", -250_000n, "-0.25", -0.25],
    ["USD", 10_000_000_000n, "10000.00", 10_000],
    ["USD", 1_234_567_890_123_456n, "1234567890.123456", 1_234_567_890.123456],
    ["STAR", 0n, "0", 0],
    ["STAR", 100n, "100", 100],
    ["STAR", -5n, "-5", -5]
  ] as const)
    it(`writes ${amount} of ${currency} as ${text}`, () => {
      assert.strictEqual(Money.toDecimal(currency, amount), text)
      assert.strictEqual(Money.toNumber(currency, amount), number)
      if (amount >= 0n) assert.strictEqual(Money.fromDecimal(currency, text), amount)
    })
})
