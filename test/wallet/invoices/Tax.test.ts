import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { taxFor, taxIn, taxOfCredit } from "../../../src/wallet/invoices/Tax.ts"

const amount = fc.bigInt({ min: 1n, max: 10n ** 14n })
const rate_bp = fc.integer({ min: 0, max: 10_000 })
const currency = fc.constantFrom("USD" as const, "STAR" as const)

describe("The tax in an amount", () => {
  it("is exact to half a cent, between nothing and the amount, and grows with the amount", () => {
    fc.assert(
      fc.property(currency, amount, amount, rate_bp, (currency, gross, more, rate) => {
        const tax = taxIn(currency, gross, rate)
        const step = currency === "USD" ? 10_000n : 1n
        const whole = 10_000n + BigInt(rate)
        assert.strictEqual(tax % step, 0n)
        assert.isTrue(tax >= 0n && tax <= gross)
        const off = 2n * (tax * whole - gross * BigInt(rate))
        assert.isTrue(off <= step * whole && off > -step * whole)
        assert.isTrue(taxIn(currency, gross + more, rate) >= tax)
      })
    )
    assert.strictEqual(taxIn("USD", 25_000_000n, 1900), 3_990_000n)
    assert.strictEqual(taxIn("STAR", 500n, 1900), 80n)
  })

  it("comes back whole with the last credit note, and no credit note takes more tax than money", () => {
    fc.assert(
      fc.property(currency, fc.array(amount, { minLength: 1, maxLength: 8 }), rate_bp, (currency, parts, rate) => {
        // The payments of gateways are whole cents.
        const step = currency === "USD" ? 10_000n : 1n
        let [credited, credited_tax] = [0n, 0n]
        for (const part of parts.map((part) => part * step)) {
          const tax = taxOfCredit(part, { currency, rate_bp: rate, credited, credited_tax })
          assert.isTrue(tax >= 0n && tax <= part)
          credited += part
          credited_tax += tax
        }
        assert.strictEqual(credited_tax, taxIn(currency, credited, rate))
      })
    )
  })

  it("never makes the net of a credit note negative, also for parts of a cent", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 30_000n }),
        amount,
        amount,
        rate_bp,
        (part, credited, credited_tax, rate) => {
          const tax = taxOfCredit(part, { currency: "USD", rate_bp: rate, credited, credited_tax })
          assert.isTrue(tax >= 0n && tax <= part)
        }
      )
    )
  })
})

describe("The rule for a buyer", () => {
  const rates: Readonly<Record<string, number>> = { DE: 1900, FR: 2000 }
  const rateOf = (country: string) => {
    const rate_bp = rates[country]
    return rate_bp === undefined ? undefined : { rate_bp, note: country }
  }
  const rule = (scheme: "off" | "seller" | "destination", country: string | null, is_checked = false, own = "DE") => {
    const found = taxFor({ scheme, country: scheme === "off" ? null : own }, { country, is_checked }, rateOf)
    return found && [found.country, found.rate_bp, found.reverse_charge]
  }

  it("follows TAX: no tax, the seller's rate, or the rate of the buyer's country", () => {
    assert.deepStrictEqual(rule("off", "FR", true), [null, 0, false])
    assert.deepStrictEqual(rule("seller", "FR"), ["DE", 1900, false])
    assert.deepStrictEqual(rule("destination", "FR"), ["FR", 2000, false])
    assert.deepStrictEqual(rule("destination", null), ["DE", 1900, false])
    assert.deepStrictEqual(rule("destination", "US"), ["US", 0, false])
  })

  it("lets a buyer owe the tax only with a checked number of another country", () => {
    for (const scheme of ["seller", "destination"] as const) {
      assert.deepStrictEqual(rule(scheme, "FR", true), ["FR", 0, true])
      assert.deepStrictEqual(rule(scheme, "DE", true), ["DE", 1900, false])
      assert.deepStrictEqual(rule(scheme, null, true), ["DE", 1900, false])
    }
  })

  it("is not known while the seller's country has no rate", () => {
    assert.isUndefined(rule("seller", "FR", false, "AT"))
    assert.isUndefined(rule("destination", "FR", false, "AT"))
  })
})
