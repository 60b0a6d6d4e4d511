import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Chargeback, Record } from "./Record.ts"
import type { Stripe } from "./Stripe.ts"

/** A payment in the database, with its invoice that no other one replaces. Amounts are in micro-dollars. */
export interface PaymentRow {
  readonly charge_id: string
  readonly user_id: string
  readonly amount: string
  /** The number of its invoices, their sum, and the name of the buyer. */
  readonly invoices: number
  readonly invoiced: string
  readonly name: string | null
  /** The sum of the credit notes of the invoice. */
  readonly credited: string
  /** True while a document of the payment is due later. */
  readonly is_waiting: boolean
}

/** A document in the database. */
export interface StoredDocument {
  readonly number: string
  readonly transaction_id: string
  readonly total: string
  readonly name: string | null
}

const payments = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<PaymentRow>`
    SELECT c.charge_id, c.user_id, c.amount::text, i.invoices, i.invoiced, i.name, i.credited,
      EXISTS (SELECT FROM invoice_due d WHERE d.transaction_id = c.transaction_id) AS is_waiting
    FROM payment_charge c CROSS JOIN LATERAL (
      SELECT count(*)::int AS invoices, coalesce(sum(total), 0)::text AS invoiced, min(body->'buyer'->>'name') AS name,
        coalesce(sum((SELECT sum(n.total) FROM invoice n WHERE n.kind = 'credit_note' AND n.corrects = i.number)), 0)::text
          AS credited
      FROM invoice i WHERE i.transaction_id = c.transaction_id AND kind = 'invoice'
        AND NOT EXISTS (SELECT FROM invoice r WHERE r.kind = 'invoice' AND r.corrects = i.number)
    ) i
  `
)

const documents = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<StoredDocument>`
    SELECT number, transaction_id, total::text, body->'buyer'->>'name' AS name FROM invoice
  `
)

const microsOf = (dollars: number) => Math.round(dollars * 1e6)

const named = (name: string, broken: ReadonlyArray<string>): ReadonlyArray<string> =>
  broken.length === 0 ? [] : [`${name}: ${broken.length}, such as ${broken[0]}`]

/** The charge of the sandbox that reversals claim. Two reversals may claim the same money. */
const claimed = ({ reversals, whole }: Chargeback) => {
  const charge = reversals[0]?.reversal_id.replace(/^sandbox_(refund|dispute)_/, "sandbox_") ?? ""
  const claims = reversals.filter(({ isReturned }) => !isReturned).map(({ amount }) => amount)
  return [
    charge,
    microsOf(
      Math.min(
        whole,
        claims.reduce((sum, one) => sum + one, 0)
      )
    )
  ] as const
}

type Refunds = Iterable<Stripe["refunds"] extends ReadonlyMap<string, infer A> ? A : never>

/** The money of each charge that went back for good, by the records of the gateways. Disputes at Stripe are open until the end. */
const wentBack = ({ chargebacks }: Pick<Record, "chargebacks">, refunds: Refunds) => {
  const back = new Map(chargebacks.map(claimed))
  for (const { amount, payment_intent, status } of refunds)
    if (status === "succeeded") back.set(payment_intent, (back.get(payment_intent) ?? 0) + amount * 10_000)
  return back
}

/** Compares the documents with the payments, with what went back of these, and with what customers saw. */
export const compare = (
  { billing, chargebacks, invoices }: Pick<Record, "billing" | "chargebacks" | "invoices">,
  refunds: Refunds,
  rows: ReadonlyArray<PaymentRow>,
  stored: ReadonlyArray<StoredDocument>
): ReadonlyArray<string> => {
  const back = wentBack({ chargebacks }, refunds)
  const byNumber = new Map(stored.map((one) => [one.number, one]))
  const made = rows.filter(({ invoices, is_waiting }) => invoices > 0 || !is_waiting)
  return [
    ...named(
      "a payment has one invoice, in the name of its buyer",
      made
        .filter(({ amount, invoiced, invoices, name, user_id }) => {
          const buyer = billing.get(user_id)
          return invoices !== 1 || invoiced !== amount || (buyer !== undefined && name !== buyer)
        })
        .map((row) => `${row.charge_id}: ${row.invoices} over ${row.invoiced} of ${row.amount}, for ${row.name}`)
    ),
    ...named(
      "credit notes take back what went back of a payment",
      made
        .filter(({ is_waiting }) => !is_waiting)
        .flatMap(({ charge_id, credited }) => {
          const expected = back.get(charge_id) ?? 0
          return Number(credited) === expected ? [] : [`${charge_id}: ${credited} instead of ${expected}`]
        })
    ),
    ...named(
      "an invoice stays as its buyer saw it",
      [...invoices.values()]
        .filter(({ buyer, number, total, transaction_id }) => {
          const one = byNumber.get(number)
          return (
            one?.transaction_id !== transaction_id || one.total !== String(microsOf(total)) || one.name !== buyer.name
          )
        })
        .map(({ number }) => number)
    )
  ]
}

/** Invariants of documents alone. */
const alone = (sql: SqlClient.SqlClient) => ({
  "the numbers of documents have no gap": sql`
    SELECT kind, is_sandbox, year, count(*)::int AS documents, min(position) AS first, max(position) AS last FROM invoice
    GROUP BY kind, is_sandbox, year HAVING (min(position), max(position)) <> (1, count(*))
  `,

  "a document is what its hash says": sql`
    SELECT number, sha256 FROM invoice
    WHERE sha256 <> encode(sha256(convert_to(body::text, 'UTF8')), 'hex')
      OR (body->>'number', body->>'total', body->>'transaction_id') IS DISTINCT FROM (number, total::text, transaction_id::text)
  `
})

export const violations = Effect.fnUntraced(function* (record: Record, refunds: Stripe["refunds"]) {
  const sql = yield* SqlClient.SqlClient
  const found: Array<string> = []
  for (const [name, query] of Object.entries(alone(sql))) {
    const rows = yield* query
    if (rows.length > 0) found.push(`${name}: ${rows.length}, such as ${JSON.stringify(rows.slice(0, 2))}`)
  }
  return [...found, ...compare(record, refunds.values(), yield* payments, yield* documents)]
})
