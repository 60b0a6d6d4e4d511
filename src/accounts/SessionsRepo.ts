import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import { UserId } from "./User.ts"

const Session = Schema.Struct({ id: Schema.String, user_id: UserId })
const LiveSession = Schema.Struct({ email_verified: Schema.Boolean, expires_at: Schema.DateTimeUtcFromDate })

export class SessionsRepo extends Context.Service<SessionsRepo>()("app/accounts/SessionsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const session = Rows.first(Session)
    const live = Rows.first(LiveSession)

    return {
      insert: (session: { id: string; user_id: UserId; created_at: DateTime.Utc; expires_at: DateTime.Utc }) =>
        Effect.orDie(
          sql`INSERT INTO user_session ${sql.insert({
            ...session,
            created_at: DateTime.toDate(session.created_at),
            expires_at: DateTime.toDate(session.expires_at)
          })}`
        ),

      /** Ends an account's oldest sessions beyond `keep`. */
      removeOldest: (user_id: UserId, keep: number) =>
        Effect.orDie(sql`
          DELETE FROM user_session WHERE id IN (
            SELECT id FROM user_session WHERE user_id = ${user_id} ORDER BY created_at DESC, id DESC OFFSET ${keep}
          )
        `),

      /** Finds the session of a refresh token and locks it, so that one refresh happens at a time. */
      lockByToken: (token_hash: string) =>
        session(sql`
          SELECT id, user_id FROM user_session
          WHERE id = (SELECT session_id FROM refresh_token WHERE token_hash = ${token_hash})
          FOR UPDATE
        `),

      extend: (id: string, until: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE user_session SET expires_at = ${DateTime.toDate(until)} WHERE id = ${id}`),

      /** Finds a session of this account that has not ended. */
      findLive: (id: string, user_id: UserId, now: DateTime.Utc) =>
        live(sql`
          SELECT a.email_verified, s.expires_at FROM user_session s JOIN user_account a ON a.id = s.user_id
          WHERE s.id = ${id} AND s.user_id = ${user_id} AND s.expires_at > ${DateTime.toDate(now)}
            AND a.deleted_at IS NULL
        `),

      remove: (id: string) => Effect.orDie(sql`DELETE FROM user_session WHERE id = ${id}`),

      removeAll: (user_id: UserId) => Effect.orDie(sql`DELETE FROM user_session WHERE user_id = ${user_id}`),

      removeOthers: (user_id: UserId, kept: string) =>
        Effect.orDie(sql`DELETE FROM user_session WHERE user_id = ${user_id} AND id <> ${kept}`),

      /** Deletes at most `limit` expired sessions; returns their number. */
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
