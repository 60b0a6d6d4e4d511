import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlModel } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { Page } from "../platform/fields/Page.ts"
import { type Booking, type BookingParts, total } from "./LedgerEntry.ts"
import { lockedRows } from "../platform/postgres/IfLocked.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import * as Sandbox from "./Sandbox.ts"
import type { Spender } from "./Spender.ts"
import type { TransactionFilter } from "./TransactionFilter.ts"
import { WalletTransaction, type WalletTransactionId } from "./WalletTransaction.ts"

/**
 * Computes sandbox money. A payment spends sandbox money first while the sandbox is on, and never while it is off. Any
 * other booking states the change in `sandbox`.
 */
const sandboxShare = (sql: PgClient.PgClient, isOn: boolean) =>
  isOn
    ? {
        left: sql`CASE WHEN b.sandbox IS NULL THEN greatest(0, w.sandbox_balance + b.amount)
          ELSE w.sandbox_balance + b.sandbox END`,
        before: sql`CASE WHEN w.sandbox IS NULL THEN greatest(0, w.sandbox_before + e.running - e.amount)
          ELSE w.sandbox_before END`,
        after: sql`CASE WHEN w.sandbox IS NULL THEN greatest(0, w.sandbox_before + e.running)
          ELSE w.sandbox_before + w.sandbox END`
      }
    : {
        left: sql`w.sandbox_balance + coalesce(b.sandbox, 0)`,
        before: sql`w.sandbox_before`,
        after: sql`w.sandbox_before + coalesce(w.sandbox, 0)`
      }

const rowsOf = ({ currency, entries, sandbox, user_id }: Booking, at: DateTime.Utc) => ({
  booking: {
    user_id,
    currency,
    amount: String(total(entries)),
    entries: entries.length,
    sandbox: sandbox === undefined ? null : String(sandbox),
    at
  },
  entries: entries.map((entry, index) => ({
    ...entry,
    user_id,
    position: index + 1,
    amount: String(entry.amount),
    amount_usd: entry.amount_usd === null ? null : String(entry.amount_usd)
  }))
})

/** Builds the parts of a statement that books. Each account has at most one of the bookings. */
const partsOf = (sql: PgClient.PgClient, isSandboxOn: boolean) => {
  const { after, before, left } = sandboxShare(sql, isSandboxOn)
  const solvent = sql`
    w.user_id = b.user_id AND w.currency = b.currency AND w.balance + b.amount >= ${left}
      AND (b.sandbox IS NOT NULL OR NOT w.purchases_stopped)
  `

  return Effect.fnUntraced(function* (all: Arr.NonEmptyReadonlyArray<Booking>) {
    const now = yield* DateTime.now
    const rows = all.map((booking) => rowsOf(booking, now))
    return {
      bookings: sql`
        booking AS (
          SELECT * FROM jsonb_to_recordset(${sql.json(rows.map(({ booking }) => booking))}::jsonb) AS b (
            user_id uuid, currency text, amount bigint, entries integer, sandbox bigint, at timestamptz
          )
        )`,
      locking: (when, ifLocked) => sql`
        payer AS (
          SELECT b.user_id FROM booking b JOIN wallet w ON ${solvent}
          WHERE ${when}
          FOR NO KEY UPDATE OF w ${sql.literal(lockedRows[ifLocked])}
        )`,
      booking: (from) => sql`
        charged AS (
          UPDATE wallet w
          SET balance = w.balance + b.amount, seq = coalesce(w.seq, 0) + b.entries, updated_at = b.at,
            sandbox_balance = ${left}, sandbox_before = w.sandbox_balance
          FROM ${from} WHERE ${solvent}
          RETURNING w.id, w.user_id, w.currency, w.balance - b.amount AS balance, w.seq - b.entries AS seq, w.updated_at,
            w.sandbox_before, b.sandbox
        ), entry AS (
          SELECT *, sum(amount) OVER (PARTITION BY user_id ORDER BY position) AS running
          FROM jsonb_to_recordset(${sql.json(rows.flatMap(({ entries }) => entries))}::jsonb) AS e (
            user_id uuid, position integer, id uuid, transaction_type text, amount bigint, amount_usd bigint,
            payment_method text, external_id text, description text, order_id uuid, reference text,
            refunded_transaction_id uuid, api_key_id uuid, grant_id uuid, cause text
          )
        ), booked AS (
          INSERT INTO wallet_transaction (
            id, user_id, wallet_id, amount, currency, transaction_type, status, payment_method, external_id, description,
            order_id, reference, refunded_transaction_id, api_key_id, grant_id, amount_usd, cause, seq, balance_before,
            balance_after, sandbox_before, sandbox_after, created_at, updated_at
          )
          SELECT e.id, w.user_id, w.id, e.amount, w.currency, e.transaction_type, 'completed', e.payment_method,
            e.external_id, e.description, e.order_id, e.reference, e.refunded_transaction_id, e.api_key_id, e.grant_id,
            e.amount_usd, e.cause, w.seq + e.position, w.balance + e.running - e.amount, w.balance + e.running, ${before}, ${after},
            w.updated_at, w.updated_at
          FROM charged w JOIN entry e ON e.user_id = w.user_id
          RETURNING id
        )`
    } satisfies BookingParts
  })
}

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

/** Sums the payments of an API key or an app since `since`, without those that were refunded whole. */
const spentBy = (sql: PgClient.PgClient) => {
  const read = Rows.first(Spent)
  const column = { api_key: sql`p.api_key_id`, grant: sql`p.grant_id` }
  return ({ id, kind }: Spender, since: DateTime.Utc) =>
    read(sql`
      SELECT coalesce(sum(p.amount_usd), 0)::bigint AS spent
      FROM wallet_transaction p LEFT JOIN wallet_transaction r
        ON r.refunded_transaction_id = p.id AND r.cause IS NULL
      WHERE ${column[kind]} = ${id} AND p.created_at >= ${DateTime.toDate(since)} AND r.id IS NULL
    `).pipe(
      Effect.flatMap(Effect.fromOption),
      Effect.orDie,
      Effect.map(({ spent }) => spent)
    )
}

/** A payment, with the part of it that was sandbox money. */
const Payment = Schema.Struct({ ...WalletTransaction.fields, sandbox: Schema.BigInt })

const isRefunded = (sql: PgClient.PgClient) => (id: WalletTransactionId) =>
  Rows.any(sql`SELECT id FROM wallet_transaction WHERE refunded_transaction_id = ${id} AND cause IS NULL`)

/** Lists the entries of an account, newest first. */
const lists = (sql: PgClient.PgClient) => {
  const read = Rows.all(WalletTransaction)
  const readTotal = Rows.first(Schema.Struct({ total: Schema.Int }))
  const from = sql`wallet w JOIN wallet_transaction t ON t.wallet_id = w.id`
  const matches = (user_id: UserId, { currency, transaction_type }: TransactionFilter) =>
    sql.and([
      sql`w.user_id = ${user_id} AND w.currency = ${currency}`,
      ...(transaction_type === undefined ? [] : [sql`t.transaction_type = ${transaction_type}`])
    ])
  const order = sql`ORDER BY t.created_at DESC, t.id DESC`
  return {
    transactionsOf: (user_id: UserId, filter: TransactionFilter, { limit, offset }: Page) =>
      read(sql`SELECT t.* FROM ${from} WHERE ${matches(user_id, filter)} ${order} LIMIT ${limit} OFFSET ${offset}`),
    countOf: (user_id: UserId, filter: TransactionFilter) =>
      readTotal(sql`SELECT count(*)::int AS total FROM ${from} WHERE ${matches(user_id, filter)}`).pipe(
        Effect.map(Option.match({ onNone: () => 0, onSome: ({ total }) => total }))
      ),
    /** Lists at most `limit` entries that are older than `last`. */
    olderThan: (user_id: UserId, filter: TransactionFilter, last: WalletTransaction, limit: number) =>
      read(sql`
        SELECT t.* FROM ${from}
        WHERE ${matches(user_id, filter)}
          AND (t.created_at, t.id) < (${DateTime.toDate(last.created_at)}::timestamptz, ${last.id}::uuid)
        ${order} LIMIT ${limit}
      `)
  }
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
      parts,
      /** Books in one statement; false when the wallet has too little money. */
      book: Effect.fnUntraced(function* (one: Booking) {
        const { booking, bookings } = yield* parts([one])
        return yield* Rows.any(sql`WITH ${bookings}, ${booking(sql`booking b`)} SELECT id FROM booked`)
      }),
      insertPending: (entry: typeof WalletTransaction.insert.Type) => Effect.orDie(transactions.insertVoid(entry)),
      complete: complete(sql),
      fail: fail(sql),
      spentBy: spentBy(sql),
      isRefunded: isRefunded(sql),
      ...lists(sql),
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
