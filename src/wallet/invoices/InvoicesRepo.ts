import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { Page } from "../../platform/fields/Page.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"
import { Buyer, Invoice, type InvoiceNumber, type Seller } from "./Invoice.ts"

const depositLine = "Wallet top-up"

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

/** Makes the missing invoices of an account. */
const issuing = (sql: PgClient.PgClient) => {
  const lockedBuyer = Rows.first(Buyer)
  const missing = (user_id: UserId) => sql`
    SELECT c.* FROM payment_charge c
    WHERE c.user_id = ${user_id} AND NOT EXISTS (SELECT FROM invoice i WHERE i.transaction_id = c.transaction_id)
  `
  return {
    isMissing: (user_id: UserId) => Rows.any(sql`${missing(user_id)} LIMIT 1`),

    /** Locks a live account while its invoices are made, and reads its details. */
    lockBuyer: (user_id: UserId) =>
      lockedBuyer(sql`
        SELECT a.email, b.name, b.address FROM user_account a LEFT JOIN billing_details b ON b.user_id = a.id
        WHERE a.id = ${user_id} AND a.deleted_at IS NULL FOR NO KEY UPDATE OF a
      `),

    /**
     * Makes at most `limit` missing invoices, in the order of their payments, and returns their number. The order of the
     * counters is the same for all accounts, which prevents deadlocks.
     */
    issue: (
      user_id: UserId,
      { buyer, seller }: { readonly buyer: typeof Buyer.Type; readonly seller: Seller },
      now: DateTime.Utc,
      limit: number
    ) =>
      sql`
        INSERT INTO invoice (transaction_id, issued_at, seller, buyer, lines)
        SELECT c.transaction_id, ${DateTime.toDate(now)}, ${sql.json(seller)}::jsonb, ${sql.json(buyer)}::jsonb, l.lines
        FROM (
          ${missing(user_id)} ORDER BY c.is_sandbox, c.created_at, c.transaction_id LIMIT ${limit}
        ) c CROSS JOIN LATERAL (${linesOf(sql)}) l
        ORDER BY c.is_sandbox, c.created_at, c.transaction_id
        RETURNING number
      `.pipe(
        Effect.map((issued) => issued.length),
        Effect.orDie
      )
  }
}

/** The invoices of the accounts. An invoice of another account is not found. */
export class InvoicesRepo extends Context.Service<InvoicesRepo>()("app/wallet/InvoicesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const all = Rows.all(Invoice)
    const first = Rows.first(Invoice)
    const readCount = Rows.one(Schema.Struct({ total: Schema.Int }))
    const invoices = sql`
      SELECT i.number, i.transaction_id, i.issued_at, c.created_at AS paid_at, i.seller, i.buyer, i.lines,
        c.currency, c.amount AS total, coalesce(b.claimed, 0)::bigint AS reversed, c.payment_method, i.is_sandbox
      FROM invoice i JOIN payment_charge c USING (transaction_id)
      LEFT JOIN LATERAL (
        SELECT claimed FROM payment_taken_back t
        WHERE t.payment_method = c.payment_method AND t.charge_id = c.charge_id
      ) b ON true
    `

    return {
      ...issuing(sql),
      find: (user_id: UserId, number: InvoiceNumber) =>
        first(sql`${invoices} WHERE i.user_id = ${user_id} AND i.number = ${number}`),
      findOf: (user_id: UserId, id: WalletTransactionId) =>
        first(sql`${invoices} WHERE i.user_id = ${user_id} AND i.transaction_id = ${id}`),
      /** Lists the invoices of an account, newest first. */
      list: (user_id: UserId, { limit, offset }: Page) =>
        all(sql`
          ${invoices} WHERE i.user_id = ${user_id}
          ORDER BY i.issued_at DESC, i.number DESC LIMIT ${limit} OFFSET ${offset}
        `),
      count: (user_id: UserId) =>
        Effect.map(
          readCount(sql`SELECT count(*)::int AS total FROM invoice WHERE user_id = ${user_id}`),
          ({ total }) => total
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
