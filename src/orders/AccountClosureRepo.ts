import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UserId } from "../accounts/User.ts"
import { OrderId } from "./Order.ts"

const decodeUsers = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ user_id: UserId })))
const decodeOrders = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: OrderId })))

/** Deleted accounts whose orders are to be ended. */
export class AccountClosureRepo extends Context.Service<AccountClosureRepo>()("app/orders/AccountClosureRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Takes up accounts that are due, until `lease`. */
      claim: (now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
        sql`
          UPDATE account_closure SET due_at = ${DateTime.toDate(lease)}
          WHERE user_id IN (
            SELECT user_id FROM account_closure WHERE due_at <= ${DateTime.toDate(now)}
            ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          RETURNING user_id
        `.pipe(
          Effect.flatMap(decodeUsers),
          Effect.map((rows) => rows.map(({ user_id }) => user_id)),
          Effect.orDie
        ),

      live: (user: UserId, limit: number) =>
        sql`
          SELECT id FROM proxy_order WHERE user_id = ${user} AND proxy_status IN ('active', 'expiring')
          ORDER BY created_at DESC, id DESC LIMIT ${limit}
        `.pipe(
          Effect.flatMap(decodeOrders),
          Effect.map((rows) => rows.map(({ id }) => id)),
          Effect.orDie
        ),

      /** Forgets an account that has no order left to end, else looks again at `next`. */
      settle: (user: UserId, next: DateTime.Utc) =>
        sql`
          DELETE FROM account_closure WHERE user_id = ${user} AND NOT EXISTS (
            SELECT FROM proxy_order WHERE user_id = ${user}
              AND status IN ('new', 'waiting_payment', 'paid', 'provisioned')
          )
        `.pipe(
          Effect.andThen(sql`UPDATE account_closure SET due_at = ${DateTime.toDate(next)} WHERE user_id = ${user}`),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
