import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"
import { DisputeState, type Reversed } from "../gateways/PaymentGateway.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import { OpenReversal, PaymentReversal } from "./PaymentReversal.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"

const Charge = Schema.Struct({ user_id: UserId, currency: Currency, amount: Schema.BigInt })
const Others = Schema.Struct({ claimed: Schema.BigInt, held: Schema.BigInt })

type Written = Omit<PaymentReversal, "lifted_at" | "created_at"> & {
  readonly debit_id: WalletTransactionId | null
}

/**
 * Stores what a gateway reports about a dispute, unless it reported a later state before. A report that moves money begins
 * anew: an inquiry that became a dispute needs another answer.
 */
const noteReport = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (
    method: PaymentMethod,
    { dispute, reversal_id }: Pick<Reversed, "dispute" | "reversal_id">,
    moves: boolean
  ) {
    if (dispute === undefined) return
    const { reason, state } = dispute
    const answer_by = dispute.answer_by === null ? null : DateTime.toDate(dispute.answer_by)
    const order = sql`${DisputeState.literals}::text[]`
    yield* sql`
      UPDATE payment_reversal SET dispute_state = ${state}, reason = coalesce(${reason}, reason),
        answer_by = coalesce(${answer_by}::timestamptz, answer_by), updated_at = ${DateTime.toDate(yield* DateTime.now)}
      WHERE payment_method = ${method} AND reversal_id = ${reversal_id} AND kind = 'dispute'
        AND (${moves} OR coalesce(array_position(${order}, dispute_state), 0) <= array_position(${order}, ${state}::text))
    `
  }, Effect.orDie)

/** Refunds and disputes of charges. */
export class PaymentReversalsRepo extends Context.Service<PaymentReversalsRepo>()("app/wallet/PaymentReversalsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(OpenReversal)
    const charge = Rows.first(Charge)
    const first = Rows.first(PaymentReversal)
    const others = Rows.first(Others)

    /** Inserts a reversal, or updates an announced one when its money was taken. */
    const write = Effect.fnUntraced(function* (reversal: Written) {
      const now = DateTime.toDate(yield* DateTime.now)
      const row = { ...reversal, created_at: now, updated_at: now }
      yield* sql`
        INSERT INTO payment_reversal ${sql.insert(row)}
        ON CONFLICT (payment_method, reversal_id) DO UPDATE
        SET status = excluded.status, amount = excluded.amount, debited = excluded.debited, debit_id = excluded.debit_id,
          updated_at = excluded.updated_at
      `
    }, Effect.orDie)

    const giveBack = Effect.fnUntraced(function* (
      { payment_method, reversal_id }: PaymentReversal,
      given_back: bigint,
      return_id: WalletTransactionId | null
    ) {
      const change = { status: "returned", given_back, return_id, updated_at: DateTime.toDate(yield* DateTime.now) }
      yield* sql`
        UPDATE payment_reversal SET ${sql.update(change)}
        WHERE payment_method = ${payment_method} AND reversal_id = ${reversal_id}
      `
    }, Effect.orDie)

    return {
      noteReport: noteReport(sql),
      charge: (method: PaymentMethod, charge_id: string) =>
        charge(sql`
          SELECT user_id, currency, amount FROM payment_charge
          WHERE payment_method = ${method} AND charge_id = ${charge_id}
        `),
      find: (method: PaymentMethod, reversal_id: string) =>
        first(sql`
          SELECT * FROM payment_reversal WHERE payment_method = ${method} AND reversal_id = ${reversal_id} FOR UPDATE
        `),
      /**
       * `claimed` is the sum of the other reversals of the charge, and of refunds that this service asked for. `held` is
       * the amount that all of them have debited and not given back.
       */
      others: (method: PaymentMethod, { charge_id, reversal_id }: Pick<PaymentReversal, "charge_id" | "reversal_id">) =>
        others(sql`
          SELECT coalesce(sum(claimed) FILTER (WHERE reversal_id IS DISTINCT FROM ${reversal_id}), 0)::bigint AS claimed,
            coalesce(sum(held), 0)::bigint AS held
          FROM payment_claim WHERE payment_method = ${method} AND charge_id = ${charge_id}
        `).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie),
      write,
      giveBack,
      /** Reversals that stop purchases, the oldest first. */
      open: (limit: number) =>
        all(sql`
          SELECT r.*, b.claimed - b.held AS short
          FROM payment_reversal r JOIN payment_taken_back b USING (payment_method, charge_id)
          WHERE r.lifted_at IS NULL AND r.status <> 'returned' ORDER BY r.created_at LIMIT ${limit}
        `),
      /** Returns the number of lifted reversals. */
      lift: (user_id: UserId, now: DateTime.Utc) =>
        Effect.orDie(
          Effect.map(
            sql`
              UPDATE payment_reversal SET lifted_at = ${DateTime.toDate(now)}
              WHERE user_id = ${user_id} AND lifted_at IS NULL AND status <> 'returned' RETURNING reversal_id
            `,
            (rows) => rows.length
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
