import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { shareOf, spread, type Term } from "../../../src/orders/refunds/ProRata.ts"

const day = 86_400_000

const term = (change: Partial<Term> = {}): Term => ({
  paid: 3_000_000n,
  returned: 0n,
  time: { starts_at: 0, ends_at: 30 * day },
  traffic: null,
  ...change
})

const anyTerm = fc
  .record({
    paid: fc.bigInt(1n, 10n ** 12n),
    returned: fc.nat(100),
    starts_at: fc.nat(1000 * day),
    length: fc.nat(400 * day),
    total: fc.bigInt(1n, 10n ** 13n),
    unused: fc.nat(100),
    has: fc.constantFrom("time", "traffic", "both")
  })
  .map(({ has, length, paid, returned, starts_at, total, unused }): Term => ({
    paid,
    returned: (paid * BigInt(returned)) / 100n,
    time: has === "traffic" ? null : { starts_at, ends_at: starts_at + length },
    traffic: has === "time" ? null : { total, unused: (total * BigInt(unused)) / 100n }
  }))

describe("the part of a payment for what is left", () => {
  it("is the share of the time, rounded down, less what was returned", () => {
    assert.strictEqual(shareOf(term(), 0), 3_000_000n)
    assert.strictEqual(shareOf(term(), 10 * day), 2_000_000n)
    assert.strictEqual(shareOf(term({ paid: 1n }), 1), 0n)
    assert.strictEqual(shareOf(term({ returned: 500_000n }), 10 * day), 1_500_000n)
    assert.strictEqual(shareOf(term(), 31 * day), 0n)
    assert.strictEqual(shareOf(term({ time: { starts_at: 20 * day, ends_at: 50 * day } }), 0), 3_000_000n)
  })

  it("is the smaller share of time and traffic, and unused traffic only for added traffic", () => {
    assert.strictEqual(shareOf(term({ traffic: { total: 10n, unused: 1n } }), 10 * day), 300_000n)
    assert.strictEqual(shareOf(term({ traffic: { total: 10n, unused: 9n } }), 20 * day), 1_000_000n)
    assert.strictEqual(shareOf(term({ time: null, traffic: { total: 4n, unused: 1n } }), 99 * day), 750_000n)
    assert.strictEqual(shareOf(term({ time: null }), 0), 0n)
  })

  it("lies between nothing and the rest of the payment, and never grows while time passes", () => {
    fc.assert(
      fc.property(anyTerm, fc.nat(2000 * day), fc.nat(400 * day), (term, now, later) => {
        const share = shareOf(term, now)
        assert.isTrue(share >= 0n && share <= term.paid - term.returned)
        assert.isTrue(shareOf(term, now + later) <= share)
      })
    )
  })

  it("adds up to the payment at most, in however many steps it is returned", () => {
    fc.assert(
      fc.property(anyTerm, fc.array(fc.nat(1400 * day), { maxLength: 8 }), (term, times) => {
        let returned = term.returned
        for (const now of times.toSorted((one, other) => one - other)) returned += shareOf({ ...term, returned }, now)
        assert.isTrue(returned <= term.paid)
      })
    )
  })

  it("is the whole payment before an unused term begins", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), fc.integer({ min: 1, max: 400 * day }), (paid, length) => {
        assert.strictEqual(shareOf(term({ paid, time: { starts_at: 5, ends_at: 5 + length } }), 5), paid)
      })
    )
  })
})

describe("an amount that is spread over payments", () => {
  it("adds up, and stays within each of them", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 1000n), { minLength: 1 }), fc.nat(100), (bounds, percent) => {
        const all = bounds.reduce((sum, one) => sum + one, 0n)
        const amount = (all * BigInt(percent)) / 100n
        const parts = spread(amount, bounds)
        assert.strictEqual(
          parts.reduce((sum, one) => sum + one, 0n),
          amount
        )
        assert.isTrue(parts.every((part, at) => part >= 0n && part <= (bounds[at] ?? 0n)))
      })
    )
  })
})
