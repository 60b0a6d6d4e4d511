import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { UserId } from "./User.ts"

const Session = Schema.Struct({ id: Schema.String, user_id: UserId })
const LiveSession = Schema.Struct({ email_verified: Schema.Boolean })

export class SessionsRepo extends Context.Service<SessionsRepo>()("app/accounts/SessionsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const findByToken = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: Session,
      execute: (token_hash) => sql`
        SELECT id, user_id FROM user_session
        WHERE id = (SELECT session_id FROM refresh_token WHERE token_hash = ${token_hash})
        FOR UPDATE
      `
    })

    const findLive = SqlSchema.findOneOption({
      Request: Schema.Struct({ id: Schema.String, user_id: UserId, now: Schema.DateTimeUtcFromDate }),
      Result: LiveSession,
      execute: ({ id, now, user_id }) => sql`
        SELECT a.email_verified FROM user_session s JOIN user_account a ON a.id = s.user_id
        WHERE s.id = ${id} AND s.user_id = ${user_id} AND s.expires_at > ${now} AND a.deleted_at IS NULL
      `
    })

    return {
      insert: (session: { id: string; user_id: UserId; created_at: DateTime.Utc; expires_at: DateTime.Utc }) =>
        Effect.orDie(
          sql`INSERT INTO user_session ${sql.insert({
            ...session,
            created_at: DateTime.toDate(session.created_at),
            expires_at: DateTime.toDate(session.expires_at)
          })}`
        ),

      /** Ends the oldest sessions of an account beyond `keep`. */
      removeOldest: (user_id: UserId, keep: number) =>
        Effect.orDie(sql`
          DELETE FROM user_session WHERE id IN (
            SELECT id FROM user_session WHERE user_id = ${user_id} ORDER BY created_at DESC, id DESC OFFSET ${keep}
          )
        `),

      /** The session a refresh token was issued to, locked so that one refresh happens at a time. */
      lockByToken: (token_hash: string) => Effect.orDie(findByToken(token_hash)),

      extend: (id: string, until: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE user_session SET expires_at = ${DateTime.toDate(until)} WHERE id = ${id}`),

      /** A session of this account while it goes on. */
      findLive: (id: string, user_id: UserId, now: DateTime.Utc) => Effect.orDie(findLive({ id, user_id, now })),

      remove: (id: string) => Effect.orDie(sql`DELETE FROM user_session WHERE id = ${id}`),

      removeAll: (user_id: UserId) => Effect.orDie(sql`DELETE FROM user_session WHERE user_id = ${user_id}`),

      removeOthers: (user_id: UserId, kept: string) =>
        Effect.orDie(sql`DELETE FROM user_session WHERE user_id = ${user_id} AND id <> ${kept}`),

      /** Deletes at most `limit` expired sessions; answers how many. */
      removeExpired: (now: DateTime.Utc, limit: number) =>
        Effect.orDie(sql`
          DELETE FROM user_session WHERE id IN (
            SELECT id FROM user_session WHERE expires_at <= ${DateTime.toDate(now)}
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING id
        `).pipe(Effect.map((rows) => rows.length))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
