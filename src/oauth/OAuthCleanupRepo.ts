import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const counted = (removal: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  Effect.orDie(Effect.map(removal, (rows) => rows.length))

/** Each operation removes at most `limit` rows that are no longer needed, and returns their number. */
export class OAuthCleanupRepo extends Context.Service<OAuthCleanupRepo>()("app/oauth/OAuthCleanupRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      removeRefreshTokens: (now: DateTime.Utc, limit: number) =>
        counted(sql`
          DELETE FROM oauth_refresh_token WHERE token_hash IN (
            SELECT token_hash FROM oauth_refresh_token WHERE expires_at <= ${DateTime.toDate(now)}
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING token_hash
        `),

      /** Removes the connections that ended before `before`. */
      removeConnections: (before: DateTime.Utc, limit: number) =>
        counted(sql`
          DELETE FROM oauth_connection WHERE id IN (
            SELECT id FROM oauth_connection WHERE least(expires_at, revoked_at) <= ${DateTime.toDate(before)}
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING id
        `),

      /**
       * Removes grants without connections. The condition on `updated_at` keeps a grant that a person is approving: once the
       * row is locked, PostgreSQL checks that condition again, but not the subquery about connections.
       */
      removeGrants: (before: DateTime.Utc, limit: number) =>
        counted(sql`
          DELETE FROM oauth_grant WHERE id IN (
            SELECT g.id FROM oauth_grant g
            WHERE g.updated_at <= ${DateTime.toDate(before)}
              AND NOT EXISTS (SELECT FROM oauth_connection c WHERE c.grant_id = g.id)
            LIMIT ${limit} FOR UPDATE OF g SKIP LOCKED
          ) RETURNING id
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
