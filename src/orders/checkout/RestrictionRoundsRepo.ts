import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"

const Restricted = Schema.Struct({
  user_id: UserId,
  access_blocked: Schema.Boolean,
  service_blocked: Schema.Boolean
})
export type Restricted = typeof Restricted.Type

const readAll = Rows.all(Restricted)

/** Accounts whose restrictions changed a moment ago. */
export class RestrictionRoundsRepo extends Context.Service<RestrictionRoundsRepo>()(
  "app/orders/RestrictionRoundsRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      return {
        /** Claims due accounts until `lease`. */
        claim: (now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
          sql`
          UPDATE restriction_round r SET due_at = ${DateTime.toDate(lease)}
          FROM user_account a
          WHERE a.id = r.user_id AND r.user_id IN (
            SELECT user_id FROM restriction_round WHERE due_at <= ${DateTime.toDate(now)}
            ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          RETURNING r.user_id, a.access_blocked, a.service_blocked
        `.pipe(readAll),

        /** Stops the proxies that were delivered while the restriction was placed. The lock keeps it from being lifted meanwhile. */
        stopLate: (user: UserId, now: DateTime.Utc) =>
          Effect.orDie(sql`
          SELECT account_service_stop(id, ${DateTime.toDate(now)}) FROM (
            SELECT id FROM user_account WHERE id = ${user} AND service_blocked FOR NO KEY UPDATE
          ) blocked
        `),

        /** Removes an account whose last change is older than `since` and that waits for nothing; else it is due again at `next`. */
        settle: (user: UserId, since: DateTime.Utc, next: DateTime.Utc, isBlocked: boolean) =>
          sql`
          DELETE FROM restriction_round WHERE user_id = ${user} AND changed_at < ${DateTime.toDate(since)} AND NOT (
            ${isBlocked} AND EXISTS (SELECT FROM proxy_order WHERE user_id = ${user} AND status IN ('waiting_payment', 'paid'))
          )
        `.pipe(
            Effect.andThen(sql`
            UPDATE restriction_round
            SET due_at = ${DateTime.toDate(next)}::timestamptz
              + CASE WHEN changed_at < ${DateTime.toDate(since)} THEN interval '30 seconds' ELSE interval '0' END
            WHERE user_id = ${user} AND due_at > ${DateTime.toDate(next)}
          `),
            Effect.orDie
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
