import { assert, it } from "@effect/vitest"
import { compare } from "../../faults/RefundInvariants.ts"
import * as StripeObjects from "../support/StripeObjects.ts"

const refundOf = (id: string, status: "pending" | "succeeded" | "failed", cents = 100) => ({
  ...StripeObjects.refundOf("pi_1", { amount: String(cents), "metadata[refund_id]": id }),
  status
})

const [good, bad] = [refundOf("one", "succeeded"), refundOf("two", "failed")]
const rows = [
  { id: "one", status: "succeeded", cents: 100 },
  { id: "two", status: "failed", cents: 100 },
  { id: "refused", status: "failed", cents: 100 }
]

it.each<[string, Parameters<typeof compare>, string | undefined]>([
  ["refunds as they are known", [[good, bad], rows], undefined],
  ["a refund that was made twice", [[good, refundOf("one", "succeeded"), bad], rows], "one is succeeded"],
  [
    "another outcome",
    [[refundOf("one", "failed"), bad], rows],
    "one is succeeded with 100 cents, and at Stripe failed"
  ],
  ["another amount", [[refundOf("one", "succeeded", 99), bad], rows], "one is succeeded with 100 cents"],
  ["an outcome that Stripe does not know", [[bad], rows], "one is succeeded with 100 cents, and at Stripe undefined"],
  ["a refund that nobody asked for", [[good, bad, refundOf("else", "succeeded")], rows], "else, which nobody asked for"]
])("%s", (_, [refunds, rows], expected) => {
  const [found] = compare(refunds, rows)
  if (expected === undefined) return assert.isUndefined(found)
  assert.include(found ?? "", expected)
})
