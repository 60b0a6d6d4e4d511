import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Scope } from "../accounts/Scope.ts"
import { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"

/** A connection with the fields of its grant. */
const Connection = Schema.Struct({
  id: Schema.String,
  grant_id: Schema.String,
  user_id: UserId,
  client_id: Schema.String,
  resource: Schema.String,
  scopes: Schema.Array(Scope),
  redirect_uri: Schema.String,
  code_challenge: Schema.String,
  code_used_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  code_expires_at: Schema.DateTimeUtcFromDate,
  expires_at: Schema.DateTimeUtcFromDate,
  revoked_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type Connection = typeof Connection.Type

const RefreshToken = Schema.Struct({
  token_hash: Schema.String,
  connection_id: Schema.String,
  created_at: Schema.DateTimeUtcFromDate,
  expires_at: Schema.DateTimeUtcFromDate,
  used_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type RefreshToken = typeof RefreshToken.Type

/** The reason recorded when a token request ends a connection. Other reasons exist: the person, the account. */
export type RevokedReason = "client" | "code_reused" | "refresh_token_reused"

export class TokensRepo extends Context.Service<TokensRepo>()("app/oauth/TokensRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encodeToken = Schema.encodeEffect(RefreshToken)
    const connection = Rows.first(Connection)
    const token = Rows.first(RefreshToken)

    const select = sql`
      SELECT c.id, c.grant_id, g.user_id, g.client_id, g.resource, g.scopes, c.redirect_uri, c.code_challenge,
        c.code_used_at, c.code_expires_at, c.expires_at, c.revoked_at
      FROM oauth_connection c JOIN oauth_grant g ON g.id = c.grant_id
    `

    return {
      /** Locks a connection: until the transaction ends, no other request redeems, refreshes or ends it. */
      lockById: (id: string) => connection(sql`${select} WHERE c.id = ${id} FOR UPDATE OF c`),

      lockByCode: (code_hash: string) => connection(sql`${select} WHERE c.code_hash = ${code_hash} FOR UPDATE OF c`),

      lockByRefreshToken: (token_hash: string) =>
        connection(sql`
          ${select} WHERE c.id = (SELECT connection_id FROM oauth_refresh_token WHERE token_hash = ${token_hash})
          FOR UPDATE OF c
        `),

      /** Finds a refresh token. The caller holds the lock of its connection. */
      refreshToken: (token_hash: string) =>
        token(sql`SELECT * FROM oauth_refresh_token WHERE token_hash = ${token_hash}`),

      insertRefreshToken: (token: RefreshToken) =>
        encodeToken(token).pipe(
          Effect.flatMap((row) => sql`INSERT INTO oauth_refresh_token ${sql.insert(row)}`),
          Effect.orDie
        ),

      /** Marks the code as used and extends its connection to `until`. */
      useCode: (id: string, now: DateTime.Utc, until: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE oauth_connection SET code_used_at = ${DateTime.toDate(now)}, last_used_at = ${DateTime.toDate(now)},
            expires_at = ${DateTime.toDate(until)}
          WHERE id = ${id}
        `),

      useRefreshToken: (token_hash: string, now: DateTime.Utc) =>
        Effect.orDie(
          sql`UPDATE oauth_refresh_token SET used_at = ${DateTime.toDate(now)} WHERE token_hash = ${token_hash}`
        ),

      /** Marks the connection as used and extends it to `until`. */
      extend: (id: string, now: DateTime.Utc, until: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE oauth_connection SET last_used_at = ${DateTime.toDate(now)}, expires_at = ${DateTime.toDate(until)}
          WHERE id = ${id}
        `),

      /** Ends the connection permanently. The database records this and notifies every instance. */
      revoke: (id: string, reason: RevokedReason, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE oauth_connection SET revoked_at = ${DateTime.toDate(now)}, revoked_reason = ${reason}
          WHERE id = ${id} AND revoked_at IS NULL
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
