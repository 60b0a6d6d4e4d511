import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { UserId } from "./User.ts"

export type EmailTokenPurpose = "email_verification" | "password_reset" | "sign_in_unlock"

const Owner = Schema.Struct({ user_id: UserId, email: Schema.String })

interface EmailToken {
  readonly token_hash: string
  readonly user_id: UserId
  readonly purpose: EmailTokenPurpose
  readonly email: string
  readonly created_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

export class EmailTokensRepo extends Context.Service<EmailTokensRepo>()("app/accounts/EmailTokensRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const owner = SqlSchema.findOneOption({
      Request: Schema.Struct({ token_hash: Schema.String, purpose: Schema.String, now: Schema.DateTimeUtcFromDate }),
      Result: Owner,
      execute: ({ now, purpose, token_hash }) => sql`
        SELECT user_id, email FROM email_token
        WHERE token_hash = ${token_hash} AND purpose = ${purpose} AND expires_at > ${now}
      `
    })

    return {
      insert: (token: EmailToken) =>
        Effect.orDie(
          sql`INSERT INTO email_token ${sql.insert({
            ...token,
            created_at: DateTime.toDate(token.created_at),
            expires_at: DateTime.toDate(token.expires_at)
          })}`
        ),

      /** Whose unexpired token this is, and the address it was mailed to. */
      owner: (token_hash: string, purpose: EmailTokenPurpose, now: DateTime.Utc) =>
        Effect.orDie(owner({ token_hash, purpose, now })),

      removeAll: (user_id: UserId, ...purposes: ReadonlyArray<EmailTokenPurpose>) =>
        Effect.orDie(sql`DELETE FROM email_token WHERE user_id = ${user_id} AND ${sql.in("purpose", purposes)}`),

      /** Deletes at most `limit` expired tokens; answers how many. */
      removeExpired: (now: DateTime.Utc, limit: number) =>
        Effect.orDie(sql`
          DELETE FROM email_token WHERE token_hash IN (
            SELECT token_hash FROM email_token WHERE expires_at <= ${DateTime.toDate(now)}
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING token_hash
        `).pipe(Effect.map((rows) => rows.length))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
