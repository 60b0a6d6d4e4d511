import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"

interface NewToken {
  readonly token_hash: string
  readonly session_id: string
  readonly created_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

export class RefreshTokensRepo extends Context.Service<RefreshTokensRepo>()("app/accounts/RefreshTokensRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      insert: (token: NewToken) =>
        Effect.orDie(
          sql`INSERT INTO refresh_token ${sql.insert({
            ...token,
            created_at: DateTime.toDate(token.created_at),
            expires_at: DateTime.toDate(token.expires_at)
          })}`
        ),

      /** Marks the token as used. True when it was unused and unexpired. */
      use: (token_hash: string, now: DateTime.Utc) =>
        Rows.any(sql`
          UPDATE refresh_token SET used_at = ${DateTime.toDate(now)}
          WHERE token_hash = ${token_hash} AND used_at IS NULL AND expires_at > ${DateTime.toDate(now)}
          RETURNING token_hash
        `),

      /** Deletes at most `limit` expired tokens; returns their number. */
      removeExpired: (now: DateTime.Utc, limit: number) =>
        Effect.orDie(sql`
          DELETE FROM refresh_token WHERE token_hash IN (
            SELECT token_hash FROM refresh_token WHERE expires_at <= ${DateTime.toDate(now)}
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING token_hash
        `).pipe(Effect.map((rows) => rows.length))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
