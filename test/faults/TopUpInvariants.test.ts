import { assert, describe, it } from "@effect/vitest"
import { Record } from "../../faults/Record.ts"
import { compare, note } from "../../faults/TopUpInvariants.ts"
import * as StripeObjects from "../support/StripeObjects.ts"

const cents = 600

const chargeOf = (intent: string, change: { id?: string; decline?: string } = {}) =>
  StripeObjects.paymentOf({
    id: change.id ?? `pi_${intent}`,
    amount: cents,
    customer: "cus",
    payment_method: "card",
    created: 0,
    metadata: { payment_intent_id: intent },
    decline: change.decline ?? null
  })

/** Two charges in January and one in February, with a limit of twelve dollars a month. No invariant is broken. */
const world = () => {
  const record = new Record()
  record.cards.set("card", { user_id: "me", monthly_limit: 12 })
  const rows = [
    { id: "one", month: "2026-01" },
    { id: "two", month: "2026-01" },
    { id: "three", month: "2026-02" },
    { id: "four", month: "2026-02" }
  ]
  return { record, rows, charges: ["one", "two", "three"].map((intent) => chargeOf(intent)) }
}

const broken = (change: (all: ReturnType<typeof world>) => void) => {
  const all = world()
  change(all)
  return compare(all.record, all.charges, all.rows).map((violation) => violation.replace(/:.*/, ""))
}

const [twice, limit, open] = [
  "a card is charged once for a payment",
  "a card pays no more than the limit of its month",
  "a declined charge takes no money later"
]

describe("The charges of saved cards", () => {
  it("are as agreed", () => {
    assert.deepStrictEqual(
      broken(() => undefined),
      []
    )
    assert.deepStrictEqual(
      broken(({ charges }) => charges.push({ ...chargeOf("four", { decline: "lost_card" }), status: "canceled" })),
      []
    )
  })

  it("break an invariant when a payment has two, or none of the service asked for it", () => {
    assert.deepStrictEqual(
      broken(({ charges }) => charges.push(chargeOf("three", { id: "pi_other" }))),
      [twice]
    )
    assert.deepStrictEqual(
      broken(({ rows }) => void rows.splice(2, 1)),
      [twice]
    )
  })

  it("break an invariant above the limit of a month", () => {
    assert.deepStrictEqual(
      broken(({ record }) => record.cards.set("card", { user_id: "me", monthly_limit: 11 })),
      [limit]
    )
  })

  it("break an invariant when a declined one is still open", () => {
    assert.deepStrictEqual(
      broken(({ charges }) => charges.push(chargeOf("four", { decline: "lost_card" }))),
      [open]
    )
  })

  it("are noted as payments of the owner of the card, if they took money", () => {
    const { charges, record } = world()
    note(record, [...charges, chargeOf("four", { decline: "lost_card" })])
    assert.strictEqual(record.payments.size, 3)
    assert.deepStrictEqual(record.payments.get("pi_one"), {
      intent: "one",
      charge_id: "pi_one",
      amount: "6.00",
      user_id: "me",
      isConfirmed: true
    })
  })
})
