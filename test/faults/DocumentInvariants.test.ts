import { assert, layer, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { compare, type PaymentRow, type StoredDocument, violations } from "../../faults/DocumentInvariants.ts"
import { Record, type Reversal } from "../../faults/Record.ts"
import * as StripeObjects from "../support/StripeObjects.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const dollar = "1000000"

/** A payment of five dollars with its invoice. */
const paid = (fields: Partial<PaymentRow> = {}): PaymentRow => ({
  charge_id: "sandbox_one",
  user_id: "me",
  amount: "5000000",
  invoices: 1,
  invoiced: "5000000",
  name: "Buyer",
  credited: "0",
  is_waiting: false,
  ...fields
})

const stored: StoredDocument = { number: "2026-000001", transaction_id: "one", total: "5000000", name: "Buyer" }

interface World {
  readonly rows?: ReadonlyArray<PaymentRow>
  readonly reversals?: ReadonlyArray<Omit<Reversal, "reversal_id">>
  readonly refunds?: ReadonlyArray<StripeObjects.Refund>
  readonly documents?: ReadonlyArray<StoredDocument>
}

/** The broken invariants of a buyer who has seen the invoice. */
const broken = ({ documents = [stored], refunds = [], reversals = [], rows = [paid()] }: World) => {
  const record = new Record()
  record.billing.set("me", "Buyer")
  record.show({ number: stored.number, transaction_id: "one", total: 5, buyer: { name: "Buyer" } })
  if (reversals.length > 0)
    record.chargebacks.push({
      user_id: "me",
      whole: 5,
      reversals: reversals.map((one) => ({ ...one, reversal_id: `sandbox_${one.kind}_one` })),
      isConfirmed: true,
      orderedAfter: undefined
    })
  return compare(record, refunds, rows, documents).map((violation) => violation.replace(/:.*/, ""))
}

const [one, credits, seen] = [
  "a payment has one invoice, in the name of its buyer",
  "credit notes take back what went back of a payment",
  "an invoice stays as its buyer saw it"
]

const refund = { amount: 1, kind: "refund", isReturned: false } as const
const dispute = { amount: 5, kind: "dispute", isReturned: false } as const
const back = { ...StripeObjects.refundOf("sandbox_one", { amount: "100" }), status: "succeeded" as const }

it.each<[string, World, ReadonlyArray<string>]>([
  ["a payment with its invoice", {}, []],
  ["a payment whose invoice is due later", { rows: [paid({ invoices: 0, invoiced: "0", is_waiting: true })] }, []],
  ["a payment without an invoice", { rows: [paid({ invoices: 0, invoiced: "0", name: null })] }, [one]],
  ["two invoices", { rows: [paid({ invoices: 2, invoiced: "10000000" })] }, [one]],
  ["an invoice over another amount", { rows: [paid({ invoiced: "4000000" })] }, [one]],
  ["an invoice for another name", { rows: [paid({ name: "A later name" })] }, [one]],
  ["a refund with its credit note", { rows: [paid({ credited: dollar })], reversals: [refund] }, []],
  ["a refund without a credit note", { reversals: [refund] }, [credits]],
  ["a refund whose credit note is due", { rows: [paid({ is_waiting: true })], reversals: [refund] }, []],
  ["a credit note for nothing", { rows: [paid({ credited: dollar })] }, [credits]],
  ["a refund that came to nothing", { reversals: [{ ...refund, isReturned: true }] }, []],
  [
    "a refund and a dispute of the same money",
    { rows: [paid({ credited: "5000000" })], reversals: [refund, dispute] },
    []
  ],
  ["a refund at Stripe with its credit note", { rows: [paid({ credited: dollar })], refunds: [back] }, []],
  ["a refund at Stripe without a credit note", { refunds: [back] }, [credits]],
  ["an invoice that is gone", { documents: [] }, [seen]],
  ["an invoice with other words", { documents: [{ ...stored, name: "A later name" }] }, [seen]]
])("%s", (_, world, expected) => {
  assert.deepStrictEqual(broken(world), expected)
})

it("An invoice that is shown in other words is a contradiction", () => {
  const record = new Record()
  const shown = { number: stored.number, transaction_id: "one", total: 5, buyer: { name: "Buyer" } }
  record.show(shown)
  record.show(shown)
  assert.deepStrictEqual(record.contradictions, [])
  record.show({ ...shown, total: 6 })
  assert.deepStrictEqual(record.contradictions, ["the invoice 2026-000001 has changed"])
})

/** The broken invariants of documents at these positions of one series. */
const brokenAt = Effect.fnUntraced(function* (positions: ReadonlyArray<number>, change = "") {
  const sql = yield* SqlClient.SqlClient
  const seen = Effect.gen(function* () {
    // Drops the constraints of the table, so that a row needs only the columns of the invariants.
    yield* sql`CREATE TEMP TABLE invoice ON COMMIT DROP AS SELECT * FROM invoice LIMIT 0`
    for (const position of positions)
      yield* sql`
        INSERT INTO invoice (number, kind, is_sandbox, year, position, total, body, sha256)
        SELECT number, 'invoice', true, 2026, ${position}::int, 5, body, encode(sha256(convert_to(body::text || ${change}, 'UTF8')), 'hex')
        FROM (SELECT ${String(position)} AS number, jsonb_build_object('number', ${String(position)}::text, 'total', '5') AS body) b
      `
    return yield* violations(new Record(), new Map())
  })
  return (yield* sql.withTransaction(seen)).map((violation) => violation.replace(/:.*/, ""))
})

layer(TestDatabase.layer)("Documents", (test) => {
  test.effect.each<[string, ReadonlyArray<number>, string, ReadonlyArray<string>]>([
    ["with numbers from one on", [1, 2, 3], "", []],
    ["with a gap", [1, 3], "", ["the numbers of documents have no gap"]],
    ["that begin later", [2, 3], "", ["the numbers of documents have no gap"]],
    ["with another hash", [1], "!", ["a document is what its hash says"]]
  ])("%s", ([, positions, change, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* brokenAt(positions, change), expected)
    })
  )
})
