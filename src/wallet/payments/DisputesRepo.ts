import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { RestrictionId } from "../../accounts/restrictions/Restriction.ts"
import { LanguageCode } from "../../brand/LanguageCode.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Dispute, type DisputeFilter } from "./Dispute.ts"
import { PaymentReversal } from "./PaymentReversal.ts"

/** A dispute whose account the policy suspends, with the language of the account. */
const Suspending = Schema.Struct({ ...PaymentReversal.fields, language: LanguageCode })
export type Suspending = typeof Suspending.Type

/** Disputes, and the restrictions that they place. */
export class DisputesRepo extends Context.Service<DisputesRepo>()("app/wallet/DisputesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(Dispute)
    const first = Rows.first(Dispute)
    const suspending = Rows.all(Suspending)
    const restrictions = Rows.all(Schema.Struct({ id: RestrictionId }))

    const from = sql`
      SELECT r.*, c.payment_intent_id, t.claimed - t.held AS short
      FROM payment_reversal r JOIN payment_charge c USING (payment_method, charge_id)
      CROSS JOIN LATERAL (
        SELECT claimed, held FROM payment_taken_back b
        WHERE b.payment_method = r.payment_method AND b.charge_id = r.charge_id
      ) t
      WHERE r.kind = 'dispute'
    `

    return {
      find: (id: string) => first(sql`${from} AND r.reversal_id = ${id} LIMIT 1`),

      /** Lists disputes: those that need an answer oldest first, others newest first. */
      list: ({ after, state, user_id }: DisputeFilter, limit: number) => {
        const [past, order] = state === "needs_answer" ? [sql`>`, sql`ASC`] : [sql`<`, sql`DESC`]
        return all(sql`
          ${from} AND ${sql.and([
            sql`true`,
            ...(user_id === undefined ? [] : [sql`r.user_id = ${user_id}`]),
            ...(state === undefined ? [] : [sql`r.dispute_state = ${state}`]),
            ...(after === undefined
              ? []
              : [
                  sql`(r.created_at, r.reversal_id) ${past} (
                    SELECT created_at, reversal_id FROM payment_reversal WHERE kind = 'dispute' AND reversal_id = ${after}
                  )`
                ])
          ])} ORDER BY r.created_at ${order}, r.reversal_id ${order} LIMIT ${limit}
        `)
      },

      /** Disputes that stop purchases, have taken money, and have placed no restriction; the oldest first. */
      toSuspend: (limit: number) =>
        suspending(sql`
          SELECT r.*, a.language FROM payment_reversal r JOIN user_account a ON a.id = r.user_id
          WHERE r.lifted_at IS NULL AND r.status <> 'returned' AND r.status = 'taken' AND r.kind = 'dispute'
            AND r.restriction_id IS NULL AND a.deleted_at IS NULL
          ORDER BY r.created_at LIMIT ${limit}
        `),

      /** Notes the restriction of a dispute; false when the dispute ended meanwhile or has one. */
      suspended: ({ payment_method, reversal_id }: Suspending, id: RestrictionId, now: DateTime.Utc) =>
        Rows.any(sql`
          UPDATE payment_reversal SET restriction_id = ${id}, updated_at = ${DateTime.toDate(now)}
          WHERE payment_method = ${payment_method} AND reversal_id = ${reversal_id} AND restriction_id IS NULL
            AND status = 'taken' AND lifted_at IS NULL
          RETURNING reversal_id
        `),

      /** Open restrictions of disputes that are over, or that staff have lifted. */
      toRelease: (limit: number) =>
        Effect.map(
          restrictions(sql`
            SELECT a.id FROM account_restriction a JOIN payment_reversal r ON r.restriction_id = a.id
            WHERE a.lifted_at IS NULL AND a.source = 'dispute' AND (r.status = 'returned' OR r.lifted_at IS NOT NULL)
            ORDER BY a.placed_at LIMIT ${limit}
          `),
          (rows) => rows.map(({ id }) => id)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
