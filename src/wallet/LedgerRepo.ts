import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlModel } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { StatementPart } from "../platform/postgres/Atomically.ts"
import type { Currency } from "../platform/Money.ts"
import type { Page } from "../platform/fields/Page.ts"
import { type Booking, total } from "./LedgerEntry.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import * as Sandbox from "./Sandbox.ts"
import { WalletTransaction, type WalletTransactionId } from "./WalletTransaction.ts"

/**
 * Computes the change of a wallet's sandbox money by a booking. A payment spends sandbox money first while the sandbox
 * is on, and never while it is off.
 */
const sandboxShare = (sql: PgClient.PgClient, isOn: boolean, { entries, sandbox }: Booking) => {
  const sum = total(entries)
  if (sandbox === undefined && isOn)
    return {
      left: sql`greatest(0, sandbox_balance + ${sum})`,
      before: sql`greatest(0, w.sandbox_before + e.running - e.amount)`,
      after: sql`greatest(0, w.sandbox_before + e.running)`
    }
  const change = sandbox ?? 0n
  return {
    left: sql`sandbox_balance + ${change}::bigint`,
    before: sql`w.sandbox_before`,
    after: sql`w.sandbox_before + ${change}::bigint`
  }
}

/** Selects the wallet of a booking, if it has enough money and may pay. */
const solvent = (sql: PgClient.PgClient, { currency, entries, sandbox, user_id }: Booking, left: StatementPart) => sql`
  user_id = ${user_id} AND currency = ${currency} AND balance + ${total(entries)} >= ${left}
    AND ${sandbox === undefined ? sql`NOT purchases_stopped` : sql`true`}
`

/**
 * Builds the part `payer` of a statement: it locks the wallet of a booking when `when` holds and the wallet can pay, and
 * returns a row. The wallet can then pay until the end of the transaction.
 */
const locking = (sql: PgClient.PgClient, isSandboxOn: boolean) => (booking: Booking, when: StatementPart) =>
  sql`
  payer AS (
    SELECT FROM wallet
    WHERE ${solvent(sql, booking, sandboxShare(sql, isSandboxOn, booking).left)} AND ${when}
    FOR NO KEY UPDATE
  )
`

/**
 * Builds the parts `entry`, `charged` and `booked` of a statement that changes the balance and writes the entries. The
 * parts take effect only when `when` holds and the wallet can pay; `charged` then returns a row.
 */
const partsOf = (sql: PgClient.PgClient, isSandboxOn: boolean) =>
  Effect.fnUntraced(function* (booking: Booking, when: StatementPart = sql`true`) {
    const { entries } = booking
    const now = DateTime.toDate(yield* DateTime.now)
    const sum = total(entries)
    const share = sandboxShare(sql, isSandboxOn, booking)
    const rows = entries.map((entry, index) => ({
      ...entry,
      position: index + 1,
      amount: String(entry.amount),
      amount_usd: entry.amount_usd === null ? null : String(entry.amount_usd)
    }))
    return sql`
    entry AS (
      SELECT *, sum(amount) OVER (ORDER BY position) AS running
      FROM jsonb_to_recordset(${sql.json(rows)}::jsonb) AS e (
        position integer, id uuid, transaction_type text, amount bigint, amount_usd bigint, payment_method text,
        external_id text, description text, order_id uuid, reference text, refunded_transaction_id uuid, api_key_id uuid
      )
    ), charged AS (
      UPDATE wallet
      SET balance = balance + ${sum}, seq = coalesce(seq, 0) + ${rows.length}, updated_at = ${now},
        sandbox_balance = ${share.left}, sandbox_before = sandbox_balance
      WHERE ${solvent(sql, booking, share.left)} AND ${when}
      RETURNING id, user_id, currency, balance - ${sum} AS balance, seq - ${rows.length} AS seq, updated_at, sandbox_before
    ), booked AS (
      INSERT INTO wallet_transaction (
        id, user_id, wallet_id, amount, currency, transaction_type, status, payment_method, external_id, description,
        order_id, reference, refunded_transaction_id, api_key_id, amount_usd, seq, balance_before, balance_after,
        sandbox_before, sandbox_after, created_at, updated_at
      )
      SELECT e.id, w.user_id, w.id, e.amount, w.currency, e.transaction_type, 'completed', e.payment_method,
        e.external_id, e.description, e.order_id, e.reference, e.refunded_transaction_id, e.api_key_id, e.amount_usd,
        w.seq + e.position, w.balance + e.running - e.amount, w.balance + e.running, ${share.before}, ${share.after},
        w.updated_at, w.updated_at
      FROM charged w, entry e
      RETURNING id
    )`
  })

/** Completes a pending entry, and stores the charge id of the payment gateway with it. */
const complete = (sql: PgClient.PgClient) =>
  Effect.fnUntraced(function* (id: WalletTransactionId, external_id: string, isSandbox: boolean) {
    const now = DateTime.toDate(yield* DateTime.now)
    const sandbox = isSandbox ? sql`amount` : sql`0`
    const completed = sql`
    WITH entry AS (
      SELECT wallet_id, amount FROM wallet_transaction WHERE id = ${id} AND status = 'pending' FOR UPDATE
    ), counted AS (
      UPDATE wallet w
      SET balance = balance + amount, seq = coalesce(seq, 0) + 1, updated_at = ${now},
        sandbox_balance = sandbox_balance + ${sandbox}, sandbox_before = sandbox_balance
      FROM entry WHERE w.id = entry.wallet_id
      RETURNING w.balance, w.seq, w.updated_at, w.sandbox_before, w.sandbox_balance
    )
    UPDATE wallet_transaction t
    SET status = 'completed', external_id = ${external_id}, seq = counted.seq,
      balance_before = counted.balance - t.amount, balance_after = counted.balance, updated_at = counted.updated_at,
      sandbox_before = counted.sandbox_before, sandbox_after = counted.sandbox_balance
    FROM counted WHERE t.id = ${id}
    RETURNING t.id
  `
    if (!(yield* Rows.any(completed))) return yield* Effect.die(`Entry ${id} is not pending`)
  })

const fail = (sql: PgClient.PgClient) =>
  Effect.fnUntraced(function* (id: WalletTransactionId) {
    const change = { status: "failed", updated_at: DateTime.toDate(yield* DateTime.now) }
    yield* sql`UPDATE wallet_transaction SET ${sql.update(change)} WHERE id = ${id} AND status = 'pending'`
  }, Effect.orDie)

const Spent = Schema.Struct({ spent: Schema.BigInt })

/** Sums the payments of an API key since `since`, without the refunded ones. */
const spentByKey = (sql: PgClient.PgClient) => {
  const read = Rows.first(Spent)
  return (api_key_id: string, since: DateTime.Utc) =>
    read(sql`
      SELECT coalesce(sum(p.amount_usd), 0)::bigint AS spent
      FROM wallet_transaction p LEFT JOIN wallet_transaction r ON r.refunded_transaction_id = p.id
      WHERE p.api_key_id = ${api_key_id} AND p.created_at >= ${DateTime.toDate(since)} AND r.id IS NULL
    `).pipe(
      Effect.flatMap(Effect.fromOption),
      Effect.orDie,
      Effect.map(({ spent }) => spent)
    )
}

/** A payment, with the part of it that was sandbox money. */
const Payment = Schema.Struct({ ...WalletTransaction.fields, sandbox: Schema.BigInt })

const isRefunded = (sql: PgClient.PgClient) => (id: WalletTransactionId) =>
  Rows.any(sql`SELECT id FROM wallet_transaction WHERE refunded_transaction_id = ${id}`)

const transactionsOf = (sql: PgClient.PgClient) => {
  const read = Rows.all(WalletTransaction)
  return (user_id: UserId, currency: Currency, { limit, offset }: Page) =>
    read(sql`
      SELECT t.* FROM wallet w JOIN wallet_transaction t ON t.wallet_id = w.id
      WHERE w.user_id = ${user_id} AND w.currency = ${currency}
      ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit} OFFSET ${offset}
    `)
}

/** Adds ledger entries and settles pending ones once, always together with the balance. */
export class LedgerRepo extends Context.Service<LedgerRepo>()("app/wallet/LedgerRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const transactions = yield* SqlModel.makeRepository(WalletTransaction, {
      tableName: "wallet_transaction",
      idColumn: "id",
      spanPrefix: "LedgerRepo"
    })
    const read = Rows.first(WalletTransaction)
    const readPayment = Rows.first(Payment)

    const isSandboxOn = yield* Sandbox.enabled
    const parts = partsOf(sql, isSandboxOn)

    return {
      locking: locking(sql, isSandboxOn),
      booking: parts,
      isSolvent: sql`EXISTS (SELECT FROM payer)`,
      isCharged: sql`EXISTS (SELECT FROM charged)`,
      /** Books in one statement; false when the wallet has too little money. */
      book: Effect.fnUntraced(function* (booking: Booking) {
        return yield* Rows.any(sql`WITH ${yield* parts(booking)} SELECT id FROM booked`)
      }),
      insertPending: (entry: typeof WalletTransaction.insert.Type) => Effect.orDie(transactions.insertVoid(entry)),
      complete: complete(sql),
      fail: fail(sql),
      spentByKey: spentByKey(sql),
      isRefunded: isRefunded(sql),
      transactionsOf: transactionsOf(sql),
      transaction: (id: WalletTransactionId) => read(sql`SELECT * FROM wallet_transaction WHERE id = ${id}`),
      payment: (reference: string) =>
        readPayment(sql`
          SELECT *, sandbox_before - sandbox_after AS sandbox FROM wallet_transaction
          WHERE transaction_type = 'payment' AND reference = ${reference}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
