import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"
import { Adjustment, type AdjustmentFilter, type AdjustmentId } from "./Adjustment.ts"
import type { Decision } from "./Decide.ts"

const Left = Schema.Struct({ left: Schema.BigInt })

/** Credits and debits by staff. */
export class AdjustmentsRepo extends Context.Service<AdjustmentsRepo>()("app/wallet/AdjustmentsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(Adjustment)
    const first = Rows.first(Adjustment)
    const left = Rows.one(Left)
    const encode = Schema.encodeEffect(Adjustment)

    return {
      hasAccount: (id: UserId) => Rows.any(sql`SELECT id FROM user_account WHERE id = ${id} AND deleted_at IS NULL`),
      /** Locks the order as the record will, because extensions and refunds lock it before the wallet too. */
      hasOrder: (id: string, owner: UserId) =>
        Rows.any(sql`SELECT id FROM proxy_order WHERE id = ${id} AND user_id = ${owner} FOR KEY SHARE`),

      /** None when another adjustment has the id. */
      insert: (adjustment: Adjustment) =>
        encode(adjustment).pipe(
          Effect.flatMap((row) =>
            first(sql`INSERT INTO wallet_adjustment ${sql.insert(row)} ON CONFLICT (id) DO NOTHING RETURNING *`)
          ),
          Effect.orDie
        ),
      find: (id: AdjustmentId) => first(sql`SELECT * FROM wallet_adjustment WHERE id = ${id}`),
      lock: (id: AdjustmentId) => first(sql`SELECT * FROM wallet_adjustment WHERE id = ${id} FOR NO KEY UPDATE`),

      /** Reads the part of a goodwill credit that was not taken back. */
      leftOf: ({ amount, id }: Adjustment) =>
        Effect.map(
          left(sql`
            SELECT ${amount}::bigint + coalesce(sum(amount), 0)::bigint AS left FROM wallet_adjustment
            WHERE revokes = ${id} AND status = 'booked'
          `),
          (row) => row.left
        ),

      decide: (
        { id }: Adjustment,
        { by, status }: Decision,
        transaction_id: WalletTransactionId | null,
        now: DateTime.Utc
      ) =>
        first(sql`
          UPDATE wallet_adjustment SET ${sql.update({
            status,
            transaction_id,
            decided_by: by?.id ?? null,
            decided_by_name: by?.name ?? null,
            decided_at: DateTime.toDate(now)
          })} WHERE id = ${id} RETURNING *
        `).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie),

      /** Ends requests that nobody decided in time. */
      expire: (now: DateTime.Utc, limit: number) =>
        all(sql`
          UPDATE wallet_adjustment SET status = 'expired', decided_at = ${DateTime.toDate(now)}
          WHERE id IN (
            SELECT id FROM wallet_adjustment WHERE status = 'requested' AND expires_at <= ${DateTime.toDate(now)}
            ORDER BY expires_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
          ) RETURNING *
        `),

      /** Lists adjustments: requests oldest first, others newest first. */
      list: ({ after, status, user_id }: AdjustmentFilter, limit: number) => {
        const [past, order] = status === "requested" ? [sql`>`, sql`ASC`] : [sql`<`, sql`DESC`]
        return all(sql`
          SELECT * FROM wallet_adjustment WHERE ${sql.and([
            sql`true`,
            ...(user_id === undefined ? [] : [sql`user_id = ${user_id}`]),
            ...(status === undefined ? [] : [sql`status = ${status}`]),
            ...(after === undefined
              ? []
              : [sql`(created_at, id) ${past} (SELECT created_at, id FROM wallet_adjustment WHERE id = ${after})`])
          ])} ORDER BY created_at ${order}, id ${order} LIMIT ${limit}
        `)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
