import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlModel } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { Currency } from "../platform/Money.ts"
import type { Page } from "../platform/Page.ts"
import { Deposit } from "./Deposit.ts"
import type { GatewayPayment } from "./PaymentGateway.ts"
import { PaymentIntent, type PaymentIntentId } from "./PaymentIntent.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"
import * as Rows from "./Rows.ts"
import type { WalletTransactionId } from "./WalletTransaction.ts"

/** A movement of money at a gateway, and the ledger entry that it became. */
interface Charge {
  readonly payment_method: PaymentMethod
  readonly charge_id: string
  readonly payment_intent_id: PaymentIntentId
  readonly user_id: UserId
  readonly currency: Currency
  readonly amount: bigint
  readonly transaction_id: WalletTransactionId
}

/** False when the gateway's charge id is known already. */
const insertCharge = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (charge: Charge) {
    const row = { ...charge, created_at: DateTime.toDate(yield* DateTime.now) }
    const written = yield* sql`INSERT INTO payment_charge ${sql.insert(row)} ON CONFLICT DO NOTHING RETURNING charge_id`
    return written.length > 0
  }, Effect.orDie)

/** Ends intents that were not paid in time, and the deposits that waited for them. */
const expireDue = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (limit: number) {
    const now = DateTime.toDate(yield* DateTime.now)
    yield* sql`
      WITH due AS (
        SELECT id FROM payment_intent WHERE status = 'pending' AND expires_at <= ${now}
        ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ), expired AS (
        UPDATE payment_intent i SET status = 'expired', updated_at = ${now} FROM due WHERE i.id = due.id
        RETURNING i.transaction_id
      )
      UPDATE wallet_transaction t SET status = 'failed', updated_at = ${now}
      FROM expired WHERE t.id = expired.transaction_id AND t.status = 'pending'
    `
  }, Effect.orDie)

const deposits = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(
    `t.id, t.user_id, t.status, t.amount, t.currency, i.payment_method, i.id AS payment_intent_id, i.payment_url,
     t.created_at`
  )
  const from = sql.literal("payment_intent i JOIN wallet_transaction t ON t.id = i.transaction_id")
  const one = Rows.first(Deposit)
  const many = Rows.all(Deposit)
  const count = Rows.first(Schema.Struct({ total: Schema.Int }))
  return {
    deposit: (id: WalletTransactionId) => one(sql`SELECT ${columns} FROM ${from} WHERE i.transaction_id = ${id}`),
    depositsOf: (user_id: UserId, { limit, offset }: Page) =>
      many(sql`
        SELECT ${columns} FROM ${from} WHERE i.user_id = ${user_id} AND i.purpose = 'deposit'
        ORDER BY i.created_at DESC, i.id DESC LIMIT ${limit} OFFSET ${offset}
      `),
    countOf: (user_id: UserId) =>
      count(sql`
        SELECT count(*)::int AS total FROM payment_intent WHERE user_id = ${user_id} AND purpose = 'deposit'
      `).pipe(Effect.map(Option.match({ onNone: () => 0, onSome: ({ total }) => total })))
  }
}

export class PaymentsRepo extends Context.Service<PaymentsRepo>()("app/wallet/PaymentsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const intents = yield* SqlModel.makeRepository(PaymentIntent, {
      tableName: "payment_intent",
      idColumn: "id",
      spanPrefix: "PaymentsRepo"
    })
    const intent = Rows.first(PaymentIntent)

    const link = Effect.fnUntraced(function* (id: PaymentIntentId, payment: GatewayPayment) {
      const change = { ...payment, updated_at: DateTime.toDate(yield* DateTime.now) }
      yield* sql`UPDATE payment_intent SET ${sql.update(change)} WHERE id = ${id}`
    }, Effect.orDie)

    /** Only a pending intent is settled. */
    const settle = Effect.fnUntraced(function* (id: PaymentIntentId, status: "paid" | "failed") {
      const change = { status, updated_at: DateTime.toDate(yield* DateTime.now) }
      yield* sql`UPDATE payment_intent SET ${sql.update(change)} WHERE id = ${id} AND status = 'pending'`
    }, Effect.orDie)

    return {
      ...deposits(sql),
      insertIntent: (row: typeof PaymentIntent.insert.Type) => Effect.orDie(intents.insert(row)),
      find: (id: PaymentIntentId) => intent(sql`SELECT * FROM payment_intent WHERE id = ${id}`),
      lock: (id: PaymentIntentId) => intent(sql`SELECT * FROM payment_intent WHERE id = ${id} FOR UPDATE`),
      link,
      settle,
      insertCharge: insertCharge(sql),
      expireDue: expireDue(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
