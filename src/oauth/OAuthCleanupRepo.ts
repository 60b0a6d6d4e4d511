import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const counted = (removal: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  Effect.orDie(Effect.map(removal, (rows) => rows.length))

/** Each removes at most `limit` rows that are of no use any more, and answers how many. */
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

      /** Those that ended before. */
      removeConnections: (before: DateTime.Utc, limit: number) =>
        counted(sql`
          DELETE FROM oauth_connection WHERE id IN (
            SELECT id FROM oauth_connection WHERE least(expires_at, revoked_at) <= ${DateTime.toDate(before)}
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING id
        `),

      /**
       * Those without connections. That a grant was approved before is what keeps one that is being approved: the row is
       * looked at again once it is locked, its connections are not.
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
