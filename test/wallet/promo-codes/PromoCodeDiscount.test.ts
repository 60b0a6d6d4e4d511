import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { discount } from "../../../src/wallet/promo-codes/PromoCodeDiscount.ts"

const dollars = (unit_price: bigint, quantity = 1) =>
  ({ currency: "USD", unit_price, unit_price_usd: unit_price, quantity }) as const
const stars = (unit_price: bigint, unit_price_usd: bigint, quantity = 1) =>
  ({ currency: "STAR", unit_price, unit_price_usd, quantity }) as const
const percent = (value: bigint) => ({ kind: "percent", value }) as const
const fixed = (value: bigint) => ({ kind: "fixed", value }) as const

const between = (minimum: bigint, maximum: bigint) => Schema.BigInt.check(Schema.isBetweenBigInt({ minimum, maximum }))
const price = between(1n, 1_000_000_000_000n)
const quantity = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))
const value = between(1n, 10_000_000_000n)
const sum = (amounts: ReadonlyArray<bigint>) => amounts.reduce((total, amount) => total + amount, 0n)

describe("The discount of a promo code", () => {
  const examples = [
    ["20 % of 4.50 USD", percent(20n), dollars(4_500_000n), [900_000n]],
    ["a percentage applies to each order", percent(10n), dollars(1_500_000n, 3), [150_000n, 150_000n, 150_000n]],
    ["half a micro-dollar is rounded up", percent(50n), dollars(1_000_001n), [500_001n]],
    ["less than half is rounded down", percent(33n), dollars(1_000_001n), [330_000n]],
    ["100 % leaves a cent to pay", percent(100n), dollars(1_500_000n), [1_490_000n]],
    ["100 % leaves a star to pay", percent(100n), stars(100n, 1_500_000n), [99n]],
    ["5 USD off a whole order", fixed(5_000_000n), dollars(20_000_000n), [5_000_000n]],
    [
      "an indivisible rest goes to the first orders",
      fixed(1_000_000n),
      dollars(2_000_000n, 3),
      [333_334n, 333_333n, 333_333n]
    ],
    [
      "an amount above the price leaves one cent of each order",
      fixed(9_000_000n),
      dollars(1_000_000n, 2),
      [990_000n, 990_000n]
    ],
    ["a price of a cent stays as it is", fixed(9_000_000n), dollars(10_000n), [0n]],
    [
      "a dollar discount is converted to stars at the ratio of the prices",
      fixed(1_000_000n),
      stars(150n, 2_000_000n),
      [75n]
    ],
    ["a discount in stars is rounded down", fixed(1_000_000n), stars(100n, 1_500_000n, 2), [33n, 33n]],
    ["a price of one star stays as it is", percent(50n), stars(1n, 20_000n), [0n]]
  ] as const

  for (const [name, code, sale, expected] of examples)
    it(name, () => {
      assert.deepStrictEqual(
        discount(code, sale).map(({ discount }) => discount),
        [...expected]
      )
    })

  it("a star order has the same share of its price as discount in dollars", () => {
    assert.deepStrictEqual(discount(percent(25n), stars(200n, 3_000_000n)), [{ discount: 50n, discount_usd: 750_000n }])
  })

  const codes = [
    ["percent", (amount: bigint) => percent((amount % 100n) + 1n)],
    ["fixed", fixed]
  ] as const

  for (const [kind, code] of codes) {
    it.prop(
      `a ${kind} discount is never negative and leaves one cent of each order`,
      [price, quantity, value],
      ([unit, n, amount]) => {
        const taken = discount(code(amount), dollars(unit, n))
        assert.lengthOf(taken, n)
        for (const { discount, discount_usd } of taken) {
          assert.strictEqual(discount, discount_usd)
          assert.isTrue(discount >= 0n)
          assert.isTrue(discount === 0n || unit - discount >= 10_000n)
        }
      }
    )

    it.prop(
      `a ${kind} discount leaves one star of each order, and more than zero in dollars`,
      [price, price, quantity, value],
      (drawn) => {
        const [unit, usd, n, amount] = drawn
        for (const { discount: taken, discount_usd } of discount(code(amount), stars(unit, usd, n))) {
          assert.isTrue(taken >= 0n && unit - taken >= 1n)
          assert.isTrue(discount_usd >= 0n && discount_usd < usd)
        }
      }
    )
  }

  it.prop("a fixed amount is spread over all orders, up to their smallest price", [price, quantity, value], (drawn) => {
    const [unit, n, amount] = drawn
    const most = unit > 10_000n ? (unit - 10_000n) * BigInt(n) : 0n
    const taken = discount(fixed(amount), dollars(unit, n)).map(({ discount }) => discount)
    assert.strictEqual(sum(taken), amount < most ? amount : most)
    const spread = taken.toSorted((a, b) => Number(b - a))
    assert.isTrue((spread[0] ?? 0n) - (spread.at(-1) ?? 0n) <= 1n)
  })
})
