import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import type { Currency } from "../../platform/Money.ts"
import type { Page } from "../../platform/fields/Page.ts"
import { Deposit } from "./Deposit.ts"
import type { GatewayPayment } from "../gateways/PaymentGateway.ts"
import { PaymentIntent, type PaymentIntentId } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"

/** A charge at a gateway, and its ledger entry. */
interface Charge {
  readonly payment_method: PaymentMethod
  readonly charge_id: string
  readonly payment_intent_id: PaymentIntentId
  readonly user_id: UserId
  readonly currency: Currency
  readonly amount: bigint
  readonly transaction_id: WalletTransactionId
  readonly payer: string | null
}

/** False when the gateway's charge id is already stored. */
const insertCharge = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (charge: Charge) {
    const row = { ...charge, created_at: DateTime.toDate(yield* DateTime.now) }
    const written = sql`INSERT INTO payment_charge ${sql.insert(row)} ON CONFLICT DO NOTHING RETURNING charge_id`
    return yield* Rows.any(written)
  })

/** The time after its expiry in which a payment is still looked up at its gateway. */
const lookUpTime = { days: 1 }

/** Columns of a payment that only the repository reads. */
interface PrivateColumns {
  readonly items: number
  /** The time at which a job looks up the payment at its gateway. */
  readonly look_at: DateTime.Utc
}

interface NextLook {
  readonly pending: DateTime.Utc
  readonly ended: DateTime.Utc
}

/**
 * Claims the payments that are due to be looked up at their gateway, without charges of saved cards. Each is due again when
 * it expires.
 */
const claimDue = (sql: SqlClient.SqlClient) => {
  const read = Rows.all(PaymentIntent)
  return (method: PaymentMethod, now: DateTime.Utc, next: NextLook, limit: number) =>
    read(sql`
      UPDATE payment_intent i SET look_at = CASE
        WHEN i.expires_at > ${DateTime.toDate(now)} THEN least(i.expires_at, ${DateTime.toDate(next.pending)}::timestamptz)
        WHEN i.status = 'pending' THEN ${DateTime.toDate(next.pending)}::timestamptz
        WHEN i.expires_at > ${DateTime.toDate(DateTime.subtract(now, lookUpTime))}
          THEN ${DateTime.toDate(next.ended)}::timestamptz
      END
      FROM (
        SELECT id FROM payment_intent
        WHERE payment_method = ${method} AND card_id IS NULL AND look_at <= ${DateTime.toDate(now)}
        ORDER BY look_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) due
      WHERE i.id = due.id RETURNING i.*
    `)
}

/**
 * Removes at most `limit` payments that ended unpaid before `before`, with their ledger entries. Returns their number.
 */
const removeNeverPaid = (sql: SqlClient.SqlClient) => (before: DateTime.Utc, limit: number) =>
  sql`
    WITH due AS (
      SELECT id FROM payment_intent i
      WHERE status IN ('failed', 'expired') AND created_at < ${DateTime.toDate(before)}
        AND NOT EXISTS (SELECT FROM payment_charge WHERE payment_intent_id = i.id)
        AND NOT EXISTS (SELECT FROM proxy_order WHERE payment_intent_id = i.id)
      LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), sandbox AS (
      DELETE FROM sandbox_payment WHERE payment_intent_id IN (SELECT id FROM due)
    ), removed AS (
      DELETE FROM payment_intent WHERE id IN (SELECT id FROM due) RETURNING transaction_id
    )
    DELETE FROM wallet_transaction WHERE id IN (SELECT transaction_id FROM removed) RETURNING id
  `.pipe(
    Effect.map((removed) => removed.length),
    Effect.orDie
  )

const counting = (sql: SqlClient.SqlClient) => {
  const read = Rows.first(Schema.Struct({ total: Schema.Int }))
  return (which: Statement.Fragment) =>
    read(sql`SELECT count(*)::int AS total FROM payment_intent WHERE ${which}`).pipe(
      Effect.map(Option.match({ onNone: () => 0, onSome: ({ total }) => total }))
    )
}

const deposits = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(
    `t.id, t.user_id, t.status, t.amount, t.currency, i.payment_method, i.id AS payment_intent_id, i.payment_url,
     t.created_at`
  )
  const from = sql.literal("payment_intent i JOIN wallet_transaction t ON t.id = i.transaction_id")
  const one = Rows.first(Deposit)
  const many = Rows.all(Deposit)
  const count = counting(sql)
  return {
    deposit: (id: WalletTransactionId) =>
      one(sql`SELECT ${columns} FROM ${from} WHERE i.transaction_id = ${id} AND i.purpose = 'deposit'`),
    depositsOf: (user_id: UserId, { limit, offset }: Page) =>
      many(sql`
        SELECT ${columns} FROM ${from} WHERE i.user_id = ${user_id} AND i.purpose = 'deposit'
        ORDER BY i.created_at DESC, i.id DESC LIMIT ${limit} OFFSET ${offset}
      `),
    countOf: (user_id: UserId) => count(sql`user_id = ${user_id} AND purpose = 'deposit'`)
  }
}

/** Payment intents, charges and deposits. */
export class PaymentsRepo extends Context.Service<PaymentsRepo>()("app/wallet/PaymentsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(PaymentIntent.insert)
    const intent = Rows.first(PaymentIntent)

    const insertIntent = Effect.fnUntraced(function* (
      row: typeof PaymentIntent.insert.Type,
      { items, look_at }: PrivateColumns
    ) {
      const values = { ...(yield* encode(row)), items, look_at: DateTime.toDate(look_at) }
      const written = intent(sql`INSERT INTO payment_intent ${sql.insert(values)} RETURNING *`)
      return yield* Effect.flatMap(written, Effect.fromOption)
    }, Effect.orDie)

    const link = Effect.fnUntraced(function* (id: PaymentIntentId, payment: GatewayPayment) {
      const change = { ...payment, updated_at: DateTime.toDate(yield* DateTime.now) }
      yield* sql`UPDATE payment_intent SET ${sql.update(change)} WHERE id = ${id}`
    }, Effect.orDie)

    /** Settles a pending intent. A paid intent is not looked up at its gateway again. */
    const settle = Effect.fnUntraced(function* (id: PaymentIntentId, status: "paid" | "failed" | "expired") {
      const updated_at = DateTime.toDate(yield* DateTime.now)
      const change = status === "paid" ? { status, updated_at, look_at: null } : { status, updated_at }
      yield* sql`UPDATE payment_intent SET ${sql.update(change)} WHERE id = ${id} AND status = 'pending'`
    }, Effect.orDie)

    const chargeIds = Rows.all(Schema.Struct({ charge_id: Schema.String }))
    const unpaid = Rows.first(Schema.Struct({ pending: Schema.Int, unpaid: Schema.Int }))

    return {
      ...deposits(sql),
      /** Counts an account's pending payments, and the unpaid items that it requested after `since`. */
      countUnpaid: (user_id: UserId, since: DateTime.Utc) =>
        unpaid(sql`
          SELECT (count(*) FILTER (WHERE status = 'pending'))::int AS pending,
            coalesce(sum(items) FILTER (WHERE created_at > ${DateTime.toDate(since)}), 0)::int AS unpaid
          FROM payment_intent
          WHERE user_id = ${user_id} AND status <> 'paid'
            AND (status = 'pending' OR created_at > ${DateTime.toDate(since)})
        `).pipe(Effect.map(Option.getOrElse(() => ({ pending: 0, unpaid: 0 })))),
      insertIntent,
      /** The payments of an account that wait for the customer: neither paid nor ended. */
      waitingOf: (user: UserId) =>
        Rows.all(PaymentIntent)(
          sql`
            SELECT * FROM payment_intent WHERE user_id = ${user} AND status = 'pending' AND card_id IS NULL
            ORDER BY id LIMIT 100
          `
        ),

      /** The gateway's ids of the charges of an intent. */
      chargesOf: (id: PaymentIntentId) =>
        Effect.map(
          chargeIds(sql`
            SELECT charge_id FROM payment_charge WHERE payment_intent_id = ${id} ORDER BY created_at LIMIT 20
          `),
          (rows) => rows.map(({ charge_id }) => charge_id)
        ),

      /** The payment of a charge. */
      ofCharge: (method: PaymentMethod, charge_id: string) =>
        intent(sql`
          SELECT i.* FROM payment_charge c JOIN payment_intent i ON i.id = c.payment_intent_id
          WHERE c.payment_method = ${method} AND c.charge_id = ${charge_id}
        `),

      find: (id: PaymentIntentId) => intent(sql`SELECT * FROM payment_intent WHERE id = ${id}`),
      lock: (id: PaymentIntentId) => intent(sql`SELECT * FROM payment_intent WHERE id = ${id} FOR UPDATE`),
      link,
      settle,
      /** Keeps the gateway's id of the charge of a saved card. */
      refer: (id: PaymentIntentId, external_reference: string) =>
        Effect.orDie(sql`
          UPDATE payment_intent SET external_reference = ${external_reference}
          WHERE id = ${id} AND card_id IS NOT NULL AND external_reference IS NULL
        `),
      insertCharge: insertCharge(sql),
      claimDue: claimDue(sql),
      removeNeverPaid: removeNeverPaid(sql),
      /** Stops looking up an ended payment, because its gateway has given a final answer. */
      forget: (id: PaymentIntentId) =>
        Effect.orDie(sql`UPDATE payment_intent SET look_at = NULL WHERE id = ${id} AND status <> 'pending'`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
