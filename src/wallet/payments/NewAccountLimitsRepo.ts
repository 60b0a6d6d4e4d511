import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { PaymentIntentId } from "../PaymentIntent.ts"

const ofAccount = Rows.one(
  Schema.Struct({
    is_new: Schema.Boolean,
    open: Schema.Int,
    asked_usd: Schema.BigInt,
    card_tries: Schema.Int
  })
)
const count = Rows.one(Schema.Struct({ count: Schema.Int }))

/** Counts the payments of new accounts, through the indexes of the account and of the network. */
export class NewAccountLimitsRepo extends Context.Service<NewAccountLimitsRepo>()("app/wallet/NewAccountLimitsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** `old`: an account and a payment from before are not new. Payments count since `day`, tries with cards since `hour`. */
      ofAccount: (
        user_id: UserId,
        { day, hour, old }: { readonly day: DateTime.Utc; readonly hour: DateTime.Utc; readonly old: DateTime.Utc }
      ) =>
        ofAccount(sql`
          SELECT NOT EXISTS (
              SELECT FROM user_account a WHERE a.id = ${user_id} AND a.created_at <= ${DateTime.toDate(old)}
            ) OR NOT EXISTS (
              SELECT FROM payment_charge c WHERE c.user_id = ${user_id} AND c.created_at <= ${DateTime.toDate(old)}
            ) AS is_new,
            (SELECT count(*)::int FROM payment_intent WHERE user_id = ${user_id} AND status = 'pending') AS open,
            coalesce(sum(amount) FILTER (WHERE currency = 'USD' AND status IN ('pending', 'paid')), 0)::bigint AS asked_usd,
            (count(*) FILTER (
              WHERE payment_method = 'card_gateway' AND status <> 'paid' AND created_at > ${DateTime.toDate(hour)}
            ))::int AS card_tries
          FROM payment_intent WHERE user_id = ${user_id} AND created_at > ${DateTime.toDate(day)}
        `),

      /** Counts the unpaid card payments that a network asked for. */
      ofNetwork: (network: string, since: DateTime.Utc) =>
        Effect.map(
          count(sql`
            SELECT count(*)::int AS count FROM payment_origin o JOIN payment_intent i ON i.id = o.payment_intent_id
            WHERE o.network = ${network} AND o.asked_at > ${DateTime.toDate(since)} AND i.status <> 'paid'
          `),
          ({ count }) => count
        ),

      note: (payment_intent_id: PaymentIntentId, network: string, asked_at: DateTime.Utc) =>
        Effect.orDie(
          sql`INSERT INTO payment_origin ${sql.insert({ payment_intent_id, network, asked_at: DateTime.toDate(asked_at) })}`
        ),

      /** Removes at most `limit` networks from before a time. Returns their number. */
      forget: (before: DateTime.Utc, limit: number) =>
        Effect.map(
          count(sql`
            WITH gone AS (
              DELETE FROM payment_origin WHERE payment_intent_id IN (
                SELECT payment_intent_id FROM payment_origin WHERE asked_at < ${DateTime.toDate(before)} LIMIT ${limit}
              ) RETURNING payment_intent_id
            ) SELECT count(*)::int AS count FROM gone
          `),
          ({ count }) => count
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
