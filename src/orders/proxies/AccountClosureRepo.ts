import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { OrderId } from "../Order.ts"

/** `due_at` is the end of the claim. The deletion of an account takes the claim away. */
const Closure = Schema.Struct({
  user_id: UserId,
  tried_to: Schema.NullOr(OrderId),
  due_at: Schema.DateTimeUtcFromDate
})
export type Closure = typeof Closure.Type

const readClosures = Rows.all(Closure)
const readIds = Rows.all(Schema.Struct({ id: OrderId }))

interface Times {
  /** Bans that were placed until then end proxies. */
  readonly since: DateTime.Utc
  readonly now: DateTime.Utc
  readonly next: DateTime.Utc
}

/** Deleted accounts, and accounts that are banned for good, which may still have live orders. */
export class AccountClosureRepo extends Context.Service<AccountClosureRepo>()("app/orders/AccountClosureRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The state that decides: a closure alone does not, because a ban can be lifted at any moment. */
    const isOver = (user: UserId, since: DateTime.Utc) => sql`(
      EXISTS (SELECT FROM user_account WHERE id = ${user} AND deleted_at IS NOT NULL) OR EXISTS (
        SELECT FROM account_restriction WHERE user_id = ${user} AND preset = 'ban' AND lifted_at IS NULL
          AND placed_at <= ${DateTime.toDate(since)}
      )
    )`

    return {
      /** True when the account was deleted, or has been banned since `since` or longer. */
      isOver: (user: UserId, since: DateTime.Utc) => Rows.any(sql`SELECT 1 AS one WHERE ${isOver(user, since)}`),

      /** Adds the accounts with live orders that have been banned since `since` or longer. */
      addBanned: (since: DateTime.Utc, now: DateTime.Utc) =>
        Effect.orDie(sql`
          INSERT INTO account_closure (user_id, due_at)
          SELECT DISTINCT user_id, ${DateTime.toDate(now)}::timestamptz FROM account_restriction r
          WHERE preset = 'ban' AND lifted_at IS NULL AND placed_at <= ${DateTime.toDate(since)} AND EXISTS (
            SELECT FROM proxy_order o WHERE o.user_id = r.user_id AND o.proxy_status IN ('active', 'expiring')
          )
          ON CONFLICT DO NOTHING
        `),

      /** Claims accounts that are due, until `lease`. */
      claim: (now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
        sql`
          UPDATE account_closure SET due_at = ${DateTime.toDate(lease)}
          WHERE user_id IN (
            SELECT user_id FROM account_closure WHERE due_at <= ${DateTime.toDate(now)}
            ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          RETURNING user_id, tried_to, due_at
        `.pipe(readClosures),

      /**
       * Lists the next live orders after `tried_to`, none when the account goes on. Orders that cannot be ended do not block
       * the others.
       */
      live: ({ tried_to, user_id }: Closure, since: DateTime.Utc, limit: number) =>
        sql`
          SELECT id FROM proxy_order WHERE user_id = ${user_id} AND proxy_status IN ('active', 'expiring')
            AND ${isOver(user_id, since)}
            AND ${tried_to === null ? sql`true` : sql`id > ${tried_to}`}
          ORDER BY id LIMIT ${limit}
        `.pipe(
          readIds,
          Effect.map((rows) => rows.map(({ id }) => id))
        ),

      /**
       * Removes the closure of an account that goes on, or when no order is left to end. Otherwise the closure is due again and
       * continues after `tried_to`: immediately while an order is being provisioned, else at `next`. Changes nothing when the
       * account was deleted since the claim: then the closure is due.
       */
      settle: ({ due_at, tried_to, user_id: user }: Closure, { next, now, since }: Times) =>
        sql`
          DELETE FROM account_closure WHERE user_id = ${user} AND due_at = ${DateTime.toDate(due_at)} AND NOT (${isOver(user, since)} AND EXISTS (
            SELECT FROM proxy_order WHERE user_id = ${user}
              AND status IN ('new', 'waiting_payment', 'paid', 'provisioned')
          ))
        `.pipe(
          Effect.andThen(
            sql`
              UPDATE account_closure SET tried_to = ${tried_to}, due_at = CASE
                WHEN EXISTS (SELECT FROM proxy_order WHERE user_id = ${user} AND status IN ('new', 'paid'))
                THEN ${DateTime.toDate(now)}::timestamptz ELSE ${DateTime.toDate(next)}::timestamptz END
              WHERE user_id = ${user} AND due_at = ${DateTime.toDate(due_at)}
            `
          ),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
