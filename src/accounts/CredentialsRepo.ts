import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { UserId } from "./User.ts"

/** What signing in and confirming a password needs of an account. */
const Credentials = Schema.Struct({
  id: UserId,
  email: Schema.NullOr(Schema.String),
  email_verified: Schema.Boolean,
  password_hash: Schema.NullOr(Schema.String)
})
export type Credentials = typeof Credentials.Type

export class CredentialsRepo extends Context.Service<CredentialsRepo>()("app/accounts/CredentialsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, email, email_verified, password_hash")

    const find = SqlSchema.findOneOption({
      Request: UserId,
      Result: Credentials,
      execute: (id) => sql`SELECT ${columns} FROM user_account WHERE id = ${id} AND deleted_at IS NULL`
    })

    const findByEmail = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: Credentials,
      execute: (email) => sql`SELECT ${columns} FROM user_account WHERE email = ${email} AND deleted_at IS NULL`
    })

    const lock = SqlSchema.findOneOption({
      Request: UserId,
      Result: Credentials,
      execute: (id) => sql`
        SELECT ${columns} FROM user_account WHERE id = ${id} AND deleted_at IS NULL FOR NO KEY UPDATE
      `
    })

    return {
      find: (id: UserId) => Effect.orDie(find(id)),
      findByEmail: (email: string) => Effect.orDie(findByEmail(email)),

      /** The same, unchanged until the transaction ends. */
      lock: (id: UserId) => Effect.orDie(lock(id)),

      /** Sets a password; what was signed in by the old one is invalid. */
      setPassword: (id: UserId, password_hash: string, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE user_account SET ${sql.update({
            password_hash,
            sessions_valid_from: DateTime.toDate(now),
            updated_at: DateTime.toDate(now)
          })} WHERE id = ${id}
        `),

      /**
       * Sets the password by mail, which verifies the address. When it was not verified before, the account is taken over:
       * the database ends what its earlier holder left behind, and the account that referred it gets no share any more.
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
