import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { AutoTopUp, type AutoTopUpChoice, type StoppedBy } from "./AutoTopUp.ts"

/** The settings of an account, and what decides whether its card is charged now. */
const Situation = Schema.Struct({
  ...AutoTopUp.fields,
  /** Without sandbox money. */
  balance: Schema.BigInt,
  purchases_stopped: Schema.Boolean,
  /** True while a payment of the card is in flight. */
  is_pending: Schema.Boolean,
  /** True when the account knows that the payments of this month have reached their limit. */
  is_told: Schema.Boolean
})
export type Situation = typeof Situation.Type

const Owner = Schema.Struct({ user_id: UserId })

const at = (time: DateTime.Utc | null) => (time === null ? null : DateTime.toDate(time))

const changes = (sql: SqlClient.SqlClient) => {
  return {
    /** Sets the time at which a job looks at the balance again; null: when the wallet is booked below the threshold. */
    rest: (user_id: UserId, due_at: DateTime.Utc | null) =>
      Effect.orDie(sql`UPDATE auto_top_up SET due_at = ${at(due_at)} WHERE user_id = ${user_id} AND is_on`),

    /** Records that the account knows that its payments have reached the limit of the month. */
    told: (user_id: UserId, month: DateTime.Utc, due_at: DateTime.Utc) =>
      Effect.orDie(sql`
        UPDATE auto_top_up SET limit_told = (${at(month)}::timestamptz AT TIME ZONE 'UTC')::date, due_at = ${at(due_at)}
        WHERE user_id = ${user_id} AND is_on
      `),

    /** Forgets the declines before a payment. The next time that the payments reach the limit is news again. */
    made: (user_id: UserId) =>
      Effect.orDie(sql`
        UPDATE auto_top_up SET declines = 0, not_before = NULL, limit_told = NULL WHERE user_id = ${user_id}
      `),

    /** Puts the next payment off. */
    putOff: (user_id: UserId, declines: number, not_before: DateTime.Utc) =>
      Effect.orDie(sql`
        UPDATE auto_top_up SET declines = ${declines}, not_before = ${at(not_before)},
          due_at = CASE WHEN is_on THEN ${at(not_before)}::timestamptz END
        WHERE user_id = ${user_id}
      `),

    /** Switches it off; false when it is off or unset. */
    stop: (user_id: UserId, stopped_by: StoppedBy, now: DateTime.Utc) =>
      Rows.any(sql`
        UPDATE auto_top_up SET is_on = false, stopped_by = ${stopped_by}, due_at = NULL, updated_at = ${at(now)}
        WHERE user_id = ${user_id} AND is_on RETURNING user_id
      `)
  }
}

/** The automatic top-ups of the accounts. */
export class AutoTopUpsRepo extends Context.Service<AutoTopUpsRepo>()("app/wallet/AutoTopUpsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const settings = Rows.first(AutoTopUp)
    const situations = Rows.first(Situation)
    const owners = Rows.all(Owner)

    return {
      ...changes(sql),

      find: (user_id: UserId, now: DateTime.Utc) =>
        settings(sql`
          SELECT s.*, auto_top_up_used(user_id, ${DateTime.toDate(now)}) AS used FROM auto_top_up s
          WHERE user_id = ${user_id}
        `),

      /**
       * Stores the choice of an owner. It ends the pause after a decline, but for a minute, so that nobody tries cards in quick
       * succession. A deletion of the account also locks the wallets, so it leaves no settings behind.
       */
      write: (user_id: UserId, choice: AutoTopUpChoice, now: DateTime.Utc, soonest: DateTime.Utc) => {
        const [present, soon] = [at(now), at(soonest)]
        // A shorter pause stays as it is.
        const pause = sql`CASE WHEN s.not_before > ${soon} THEN ${soon}::timestamptz ELSE s.not_before END`
        const { amount, card_id, is_on, monthly_limit, threshold } = choice
        return Effect.orDie(sql`
          INSERT INTO auto_top_up AS s (
            user_id, is_on, threshold, amount, monthly_limit, card_id, due_at, created_at, updated_at
          )
          SELECT id, ${is_on}, ${String(threshold)}::bigint, ${String(amount)}::bigint, ${String(monthly_limit)}::bigint,
            ${card_id}::uuid, CASE WHEN ${is_on} THEN ${present}::timestamptz END, ${present}::timestamptz, ${present}::timestamptz
          FROM user_account WHERE id = ${user_id} AND deleted_at IS NULL
          ON CONFLICT (user_id) DO UPDATE SET is_on = excluded.is_on, threshold = excluded.threshold,
            amount = excluded.amount, monthly_limit = excluded.monthly_limit, card_id = excluded.card_id, stopped_by = NULL,
            declines = 0, not_before = ${pause},
            due_at = CASE WHEN excluded.is_on THEN greatest(excluded.updated_at, ${pause}) END,
            updated_at = excluded.updated_at
        `)
      },

      /** Claims accounts whose balance a job must look at. */
      claim: (now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
        owners(sql`
          UPDATE auto_top_up SET due_at = ${DateTime.toDate(lease)} WHERE user_id IN (
            SELECT user_id FROM auto_top_up WHERE due_at <= ${DateTime.toDate(now)}
            ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING user_id
        `),

      /** Locks the settings of an account. Exact only while its wallets are locked too. */
      lock: (user_id: UserId, now: DateTime.Utc) =>
        situations(sql`
          SELECT s.*, auto_top_up_used(s.user_id, ${DateTime.toDate(now)}) AS used, w.purchases_stopped,
            w.balance - w.sandbox_balance AS balance,
            s.limit_told IS NOT DISTINCT FROM
              date_trunc('month', ${DateTime.toDate(now)}::timestamptz AT TIME ZONE 'UTC')::date AS is_told,
            EXISTS (
              SELECT FROM payment_intent i WHERE i.user_id = s.user_id AND i.card_id IS NOT NULL AND i.status = 'pending'
            ) AS is_pending
          FROM auto_top_up s JOIN wallet w ON w.user_id = s.user_id AND w.currency = 'USD'
          WHERE s.user_id = ${user_id} FOR NO KEY UPDATE OF s
        `),

      /** True for a charge that was made by an automatic top-up of the account. */
      isAutomatic: (user_id: UserId, charge_id: string) =>
        Rows.any(sql`
          SELECT c.charge_id FROM payment_charge c JOIN payment_intent i ON i.id = c.payment_intent_id
          WHERE c.payment_method = 'card_gateway' AND c.charge_id = ${charge_id} AND c.user_id = ${user_id}
            AND i.card_id IS NOT NULL
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
