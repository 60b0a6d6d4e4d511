import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { warrantyCredit } from "../../../src/orders/warranty/WarrantyCredit.ts"

const start = DateTime.makeUnsafe("2026-03-01T00:00:00Z")
const after = (duration: Parameters<typeof DateTime.add>[1]) => DateTime.add(start, duration)

/** Thirty days for 10.80 dollars, without an outage. */
const month = { starts_at: start, ends_at: after({ days: 30 }), ended_at: null, paid: 10_800_000n, returned: 0n }

describe("The credit for an outage", () => {
  it.each([
    ["an hour of 30 days", { from_at: start, to_at: after({ hours: 1 }) }, 15_000n],
    ["14 minutes and 59 seconds", { from_at: start, to_at: after({ minutes: 14, seconds: 59 }) }, undefined],
    ["15 minutes", { from_at: start, to_at: after({ minutes: 15 }) }, 3_750n],
    ["a part of a unit, rounded down", { from_at: start, to_at: after({ minutes: 15, seconds: 1 }) }, 3_754n],
    ["a part of a second", { from_at: start, to_at: after({ minutes: 15, milliseconds: 999 }) }, 3_750n],
    ["the whole time", { from_at: start, to_at: after({ days: 30 }) }, 10_800_000n],
    ["more than the rest of the time", { from_at: after({ days: 29 }), to_at: after({ days: 40 }) }, 360_000n],
    ["time before the payment", { from_at: after({ days: -1 }), to_at: after({ days: 1 }) }, 360_000n],
    ["a time that ended early", { from_at: start, to_at: after({ hours: 2 }), ended_at: after({ hours: 1 }) }, 15_000n],
    ["a time that was not paid", { from_at: after({ days: 31 }), to_at: after({ days: 32 }) }, undefined],
    ["what is left of the payment", { from_at: start, to_at: after({ days: 15 }), returned: 10_000_000n }, 800_000n],
    ["a payment that was returned", { from_at: start, to_at: after({ days: 15 }), returned: 10_800_000n }, undefined],
    ["stars", { from_at: start, to_at: after({ days: 3 }), paid: 25n }, 2n],
    ["less than one star", { from_at: start, to_at: after({ hours: 1 }), paid: 25n }, undefined],
    ["no time at all", { from_at: start, to_at: after({ days: 1 }), ends_at: start }, undefined]
  ] as const)("for %s", (_, outage, amount) => {
    assert.strictEqual(warrantyCredit({ ...month, ...outage })?.amount, amount)
  })
})
