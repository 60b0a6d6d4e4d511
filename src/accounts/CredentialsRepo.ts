import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { LanguageCode } from "../brand/LanguageCode.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { UserId } from "./User.ts"

/** The fields of an account that a sign-in, a password check and a mail need. */
const Credentials = Schema.Struct({
  id: UserId,
  email: Schema.NullOr(Schema.String),
  email_verified: Schema.Boolean,
  password_hash: Schema.NullOr(Schema.String),
  /** True while a restriction shuts the person out. */
  access_blocked: Schema.Boolean,
  language: LanguageCode
})
export type Credentials = typeof Credentials.Type

export class CredentialsRepo extends Context.Service<CredentialsRepo>()("app/accounts/CredentialsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = Rows.first(Credentials)
    const columns = sql.literal("id, email, email_verified, password_hash, access_blocked, language")

    return {
      find: (id: UserId) => first(sql`SELECT ${columns} FROM user_account WHERE id = ${id} AND deleted_at IS NULL`),

      findByEmail: (email: string) =>
        first(sql`SELECT ${columns} FROM user_account WHERE email = ${email} AND deleted_at IS NULL`),

      /** Locks the account: no other transaction changes it until this one ends. */
      lock: (id: UserId) =>
        first(sql`
          SELECT ${columns} FROM user_account WHERE id = ${id} AND deleted_at IS NULL FOR NO KEY UPDATE
        `),

      /** Sets the password and invalidates the sessions that the old one began. */
      setPassword: (id: UserId, password_hash: string, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE user_account SET ${sql.update({
            password_hash,
            sessions_valid_from: DateTime.toDate(now),
            updated_at: DateTime.toDate(now)
          })} WHERE id = ${id}
        `),

      /**
       * Sets the password with a mailed token, which verifies the address. When the address was not verified before,
       * this takes the account over. The database ends everything that the earlier holder set up, and the referrer no
       * longer gets a share.
       */
      resetPassword: (id: UserId, password_hash: string, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE user_account SET ${sql.update({
            password_hash,
            email_verified: true,
            sessions_valid_from: DateTime.toDate(now),
            updated_at: DateTime.toDate(now)
          })}, referred_by = CASE WHEN email_verified THEN referred_by END
          WHERE id = ${id}
        `),

      verifyEmail: (id: UserId, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE user_account SET email_verified = true, updated_at = ${DateTime.toDate(now)} WHERE id = ${id}
        `),

      invalidateSessions: (id: UserId, now: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE user_account SET sessions_valid_from = ${DateTime.toDate(now)} WHERE id = ${id}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
