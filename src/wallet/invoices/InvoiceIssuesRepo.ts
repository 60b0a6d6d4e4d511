import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"
import { Buyer, Invoice, InvoiceLine, type InvoiceNumber, type Seller } from "./Invoice.ts"
import type { Tax } from "./Tax.ts"

const depositLine = "Wallet top-up"

/** A payment from outside, with what it paid. */
const Payment = Schema.Struct({
  transaction_id: Invoice.fields.transaction_id,
  currency: Invoice.fields.currency,
  total: Schema.BigInt,
  paid_at: Schema.DateTimeUtcFromDate,
  payment_method: Invoice.fields.payment_method,
  lines: Schema.Array(InvoiceLine)
})
export type Payment = typeof Payment.Type

/** The invoice of a payment that stands, what credit notes took back of it, and what is back at the payer. */
const Standing = Schema.Struct({
  ...Payment.fields,
  number: Invoice.fields.number,
  tax: Schema.BigInt,
  tax_rule: Invoice.fields.tax_rule,
  seller: Invoice.fields.seller,
  buyer: Invoice.fields.buyer,
  credited: Schema.BigInt,
  credited_tax: Schema.BigInt,
  returned: Schema.BigInt
})
export type Standing = typeof Standing.Type

const Due = Schema.Struct({
  /** The rows of the queue. */
  ids: Schema.Array(Schema.String),
  transaction_id: Invoice.fields.transaction_id,
  user_id: UserId
})
export type Due = typeof Due.Type

export interface Missing {
  readonly user_id: UserId
  /** Only this payment. */
  readonly transaction_id?: WalletTransactionId | undefined
  /** The country whose first tax rate payments wait for. */
  readonly country: string | null
}

export interface NewDocument {
  readonly kind: Invoice["kind"]
  readonly corrects: InvoiceNumber | null
  readonly cause: Invoice["cause"]
  readonly payment: Omit<Payment, "lines">
  readonly lines: ReadonlyArray<typeof InvoiceLine.Type>
  readonly total: bigint
  readonly tax: bigint
  readonly tax_rule: Tax
  readonly seller: Seller
  readonly buyer: Buyer
}

const encodeLines = Schema.encodeSync(Schema.Array(InvoiceLine))

const rowOf = ({ buyer, cause, corrects, kind, lines, payment, seller, tax, tax_rule, total }: NewDocument) => ({
  kind,
  corrects,
  cause,
  transaction_id: payment.transaction_id,
  currency: payment.currency,
  total: String(total),
  net: String(total - tax),
  tax: String(tax),
  body: {
    seller,
    buyer,
    lines: encodeLines(lines),
    tax: tax_rule,
    payment_method: payment.payment_method,
    paid_at: DateTime.formatIso(payment.paid_at)
  }
})

/**
 * Builds the lines of a charge `c`. Its orders were paid from the wallet in the transaction that credited the charge, so only
 * the first charge of a payment has orders. The rest of the charge stayed in the wallet.
 */
const linesOf = (sql: PgClient.PgClient) => sql`
  SELECT jsonb_agg(jsonb_build_object(
    'type', l.type, 'description', l.description, 'quantity', l.quantity, 'unit_price', l.unit_price::text,
    'amount', (l.unit_price * l.quantity)::text
  ) ORDER BY l.position) AS lines
  FROM (
    WITH bought AS (
      SELECT p.description, count(*)::int AS quantity, -p.amount AS unit_price, min(p.seq) AS position
      FROM wallet_transaction credit
      JOIN proxy_order o ON o.payment_intent_id = c.payment_intent_id
      JOIN wallet_transaction p ON p.transaction_type = 'payment' AND p.reference = o.id::text
        AND p.wallet_id = credit.wallet_id AND p.seq > credit.seq
      WHERE credit.id = c.transaction_id AND NOT EXISTS (
        SELECT FROM payment_charge other JOIN wallet_transaction t ON t.id = other.transaction_id
        WHERE other.payment_intent_id = c.payment_intent_id AND t.wallet_id = credit.wallet_id AND t.seq < credit.seq
      )
      GROUP BY p.description, p.amount
    ), kept AS (
      SELECT c.amount - coalesce(sum(unit_price * quantity), 0)::bigint AS rest FROM bought
    )
    SELECT 'order' AS type, description, quantity, unit_price, position FROM bought
    UNION ALL
    SELECT 'deposit', ${depositLine}, 1, rest, NULL FROM kept WHERE rest > 0
  ) l
`

/** The queue of payments and refunds whose documents are due. */
const queue = (sql: PgClient.PgClient) => {
  const due = Rows.all(Due)
  const ids = (rows: ReadonlyArray<string>) => sql`id IN ${sql.in(rows)}`
  return {
    /** Reads the oldest rows of the queue, one item for each payment. */
    due: (now: DateTime.Utc, limit: number) =>
      due(sql`
        SELECT array_agg(d.id::text) AS ids, transaction_id, c.user_id
        FROM (
          SELECT * FROM invoice_due WHERE due_at <= ${DateTime.toDate(now)} ORDER BY due_at, id LIMIT ${limit}
        ) d JOIN payment_charge c USING (transaction_id)
        GROUP BY c.user_id, transaction_id ORDER BY min(d.due_at), min(d.id)
      `),
    done: (rows: ReadonlyArray<string>) => Effect.orDie(sql`DELETE FROM invoice_due WHERE ${ids(rows)}`),
    postpone: (rows: ReadonlyArray<string>, until: DateTime.Utc) =>
      Effect.orDie(sql`UPDATE invoice_due SET due_at = ${DateTime.toDate(until)} WHERE ${ids(rows)}`)
  }
}

/** Makes documents. The numbers come from the database. */
export class InvoiceIssuesRepo extends Context.Service<InvoiceIssuesRepo>()("app/wallet/InvoiceIssuesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const buyers = Rows.one(Schema.Struct({ buyer: Schema.NullOr(Buyer) }))
    const payments = Rows.all(Payment)
    const standings = Rows.first(Standing)
    const numbers = Rows.all(Schema.Struct({ number: Invoice.fields.number }))
    const missing = ({ country, transaction_id, user_id }: Missing) => sql`
      SELECT c.* FROM payment_charge c WHERE ${sql.and([
        sql`c.user_id = ${user_id} AND NOT EXISTS (SELECT FROM invoice i WHERE i.transaction_id = c.transaction_id)`,
        ...(transaction_id === undefined ? [] : [sql`c.transaction_id = ${transaction_id}`]),
        ...(country === null
          ? []
          : [
              sql`c.created_at >= (
                SELECT min(valid_from)::timestamp AT TIME ZONE 'UTC' FROM tax_rate WHERE country = ${country}
              )`
            ])
      ])}
    `

    return {
      ...queue(sql),
      isMissing: (which: Missing) => Rows.any(sql`${missing(which)} LIMIT 1`),

      /**
       * Locks an account while its documents are made, and reads its buyer. A deleted account has only the one that its deletion
       * kept, until its last document is issued; then null.
       */
      lockBuyer: Effect.fnUntraced(function* (user_id: UserId) {
        yield* Effect.orDie(sql`SELECT FROM user_account WHERE id = ${user_id} FOR NO KEY UPDATE`)
        // Another statement: it sees what the lock waited for.
        const { buyer } = yield* buyers(sql`
          SELECT coalesce((
            SELECT d.buyer FROM invoice_due d JOIN payment_charge c USING (transaction_id)
            WHERE d.buyer IS NOT NULL AND c.user_id = ${user_id} LIMIT 1
          ), invoice_buyer(${user_id})) AS buyer
        `)
        return buyer
      }),

      /** Payments without an invoice, the oldest first. */
      unissued: (which: Missing, limit: number) =>
        payments(sql`
          SELECT c.transaction_id, c.currency, c.amount AS total, c.created_at AS paid_at, c.payment_method, l.lines
          FROM (
            ${missing(which)} ORDER BY c.is_sandbox, c.created_at, c.transaction_id LIMIT ${limit}
          ) c CROSS JOIN LATERAL (${linesOf(sql)}) l
          ORDER BY c.is_sandbox, c.created_at, c.transaction_id
        `),

      standing: (transaction_id: WalletTransactionId) =>
        standings(sql`
          SELECT i.number, i.transaction_id, i.currency, i.total, (i.body->>'paid_at')::timestamptz AS paid_at,
            i.body->>'payment_method' AS payment_method, i.body->'lines' AS lines, i.tax, i.body->'tax' AS tax_rule,
            i.body->'seller' AS seller, i.body->'buyer' AS buyer, n.credited, n.credited_tax,
            invoice_returned(i.transaction_id) AS returned
          FROM invoice i CROSS JOIN LATERAL (
            SELECT coalesce(sum(total), 0)::bigint AS credited, coalesce(sum(tax), 0)::bigint AS credited_tax
            FROM invoice WHERE corrects = i.number AND kind = 'credit_note'
          ) n
          WHERE i.transaction_id = ${transaction_id} AND i.kind = 'invoice'
            AND NOT EXISTS (SELECT FROM invoice r WHERE r.kind = 'invoice' AND r.corrects = i.number)
        `),

      /** Writes documents in this order, and returns their numbers. */
      insert: (documents: ReadonlyArray<NewDocument>, now: DateTime.Utc) =>
        Effect.map(
          numbers(sql`
            INSERT INTO invoice (kind, corrects, cause, transaction_id, issued_at, currency, total, net, tax, body)
            SELECT kind, corrects, cause, transaction_id, ${DateTime.toDate(now)}, currency, total, net, tax, body
            FROM ROWS FROM (jsonb_to_recordset(${sql.json(documents.map(rowOf))}::jsonb) AS (
              kind text, corrects text, cause text, transaction_id uuid, currency text, total bigint, net bigint,
              tax bigint, body jsonb
            )) WITH ORDINALITY AS d (kind, corrects, cause, transaction_id, currency, total, net, tax, body, position)
            ORDER BY position
            RETURNING number
          `),
          (rows) => rows.map(({ number }) => number)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
