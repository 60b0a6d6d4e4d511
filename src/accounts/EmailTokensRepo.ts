import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
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
    const owner = Rows.first(Owner)

    return {
      insert: (token: EmailToken) =>
        Effect.orDie(
          sql`INSERT INTO email_token ${sql.insert({
            ...token,
            created_at: DateTime.toDate(token.created_at),
            expires_at: DateTime.toDate(token.expires_at)
          })}`
        ),

      /** Finds the account of an unexpired token, and the address that the token was mailed to. */
      owner: (token_hash: string, purpose: EmailTokenPurpose, now: DateTime.Utc) =>
        owner(sql`
          SELECT user_id, email FROM email_token
          WHERE token_hash = ${token_hash} AND purpose = ${purpose} AND expires_at > ${DateTime.toDate(now)}
        `),

      removeAll: (user_id: UserId, ...purposes: ReadonlyArray<EmailTokenPurpose>) =>
        Effect.orDie(sql`DELETE FROM email_token WHERE user_id = ${user_id} AND ${sql.in("purpose", purposes)}`),

      /** Deletes at most `limit` expired tokens; returns their number. */
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
