import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { Page } from "../platform/fields/Page.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { ConnectedApp, type GrantId } from "./ConnectedApp.ts"

const Count = Schema.Struct({ count: Schema.Int })

/** Grants with a live connection, as their owner sees them. */
export class ConnectedAppsRepo extends Context.Service<ConnectedAppsRepo>()("app/oauth/ConnectedAppsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(ConnectedApp)
    const first = Rows.first(ConnectedApp)
    const counted = Rows.first(Count)

    const live = (now: DateTime.Utc) => sql`c.revoked_at IS NULL AND c.expires_at > ${DateTime.toDate(now)}`

    const appsOf = (user_id: UserId, now: DateTime.Utc) => sql`
      SELECT g.id, g.client_id, k.name AS client_name, k.is_verified, g.resource, g.scopes, g.daily_spend_limit_usd,
        min(c.created_at) AS created_at, max(c.last_used_at) AS last_used_at
      FROM oauth_grant g
      JOIN oauth_client k ON k.id = g.client_id
      JOIN oauth_connection c ON c.grant_id = g.id
      WHERE g.user_id = ${user_id} AND ${live(now)}
    `

    return {
      /** Lists the newest grants first. */
      list: (user_id: UserId, now: DateTime.Utc, { limit, offset }: Page) =>
        all(sql`
          ${appsOf(user_id, now)}
          GROUP BY g.id, k.id
          ORDER BY min(c.created_at) DESC, g.id DESC LIMIT ${limit} OFFSET ${offset}
        `),

      find: (user_id: UserId, grant_id: GrantId, now: DateTime.Utc) =>
        first(sql`${appsOf(user_id, now)} AND g.id = ${grant_id} GROUP BY g.id, k.id`),

      count: (user_id: UserId, now: DateTime.Utc) =>
        counted(sql`
          SELECT count(*)::int AS count FROM oauth_grant g WHERE g.user_id = ${user_id}
            AND EXISTS (SELECT FROM oauth_connection c WHERE c.grant_id = g.id AND ${live(now)})
        `).pipe(Effect.map(Option.match({ onNone: () => 0, onSome: ({ count }) => count }))),

      /**
       * Locks the account. Other transactions that change several connections of the account wait: two that lock the
       * connections in different orders would deadlock.
       */
      holdAccount: (user_id: UserId) =>
        Effect.orDie(sql`SELECT FROM user_account WHERE id = ${user_id} FOR NO KEY UPDATE`),

      /** True when a connection was live. */
      revoke: (user_id: UserId, grant_id: GrantId, now: DateTime.Utc) =>
        Rows.any(sql`
          UPDATE oauth_connection c SET revoked_at = ${DateTime.toDate(now)}, revoked_reason = 'user'
          FROM oauth_grant g
          WHERE g.id = ${grant_id} AND g.user_id = ${user_id} AND c.grant_id = g.id AND ${live(now)}
          RETURNING c.id
        `),

      /** Changes the daily limit, in micro-dollars; true when the grant has a live connection. */
      setLimit: (user_id: UserId, grant_id: GrantId, limit: bigint | null, now: DateTime.Utc) =>
        Rows.any(sql`
          UPDATE oauth_grant g SET daily_spend_limit_usd = ${limit}
          WHERE g.id = ${grant_id} AND g.user_id = ${user_id}
            AND EXISTS (SELECT FROM oauth_connection c WHERE c.grant_id = g.id AND ${live(now)})
          RETURNING g.id
        `),

      isOfAnother: (user_id: UserId, grant_id: GrantId) =>
        Rows.any(sql`SELECT FROM oauth_grant WHERE id = ${grant_id} AND user_id <> ${user_id}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
