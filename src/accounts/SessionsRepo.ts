import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "../platform/fields/Page.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { Session, type SessionClient } from "./Session.ts"
import { UserId } from "./User.ts"

const OwnedSession = Schema.Struct({ id: Schema.String, user_id: UserId })
const LiveSession = Schema.Struct({ email_verified: Schema.Boolean, expires_at: Schema.DateTimeUtcFromDate })

interface NewSession extends SessionClient {
  readonly id: string
  readonly user_id: UserId
  readonly created_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

/** The statements for the owner of the sessions. */
const ofOwner = (sql: SqlClient.SqlClient) => {
  const sessions = Rows.all(Session)
  const counted = Rows.one(Schema.Struct({ count: Schema.Int }))
  return {
    /** Lists the sessions of an account that have not ended, the last used first. */
    list: (user_id: UserId, now: DateTime.Utc, { limit, offset }: Page) =>
      sessions(sql`
        SELECT id, user_agent, address, created_at, coalesce(last_used_at, created_at) AS last_used_at, expires_at
        FROM user_session WHERE user_id = ${user_id} AND expires_at > ${DateTime.toDate(now)}
        ORDER BY coalesce(last_used_at, created_at) DESC, id DESC LIMIT ${limit} OFFSET ${offset}
      `),

    count: (user_id: UserId, now: DateTime.Utc) =>
      Effect.map(
        counted(sql`
          SELECT count(*)::int AS count FROM user_session
          WHERE user_id = ${user_id} AND expires_at > ${DateTime.toDate(now)}
        `),
        ({ count }) => count
      ),

    /** Ends a session of this account; false when the account has no such session. */
    removeOwn: (id: string, user_id: UserId) =>
      Rows.any(sql`DELETE FROM user_session WHERE id = ${id} AND user_id = ${user_id} RETURNING id`)
  }
}

export class SessionsRepo extends Context.Service<SessionsRepo>()("app/accounts/SessionsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const session = Rows.first(OwnedSession)
    const live = Rows.first(LiveSession)

    return {
      insert: ({ created_at, expires_at, ...session }: NewSession) =>
        Effect.orDie(
          sql`INSERT INTO user_session ${sql.insert({
            ...session,
            created_at: DateTime.toDate(created_at),
            last_used_at: DateTime.toDate(created_at),
            expires_at: DateTime.toDate(expires_at)
          })}`
        ),

      ...ofOwner(sql),

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

      /** Records a use and its client, and extends the session. */
      use: (id: string, client: SessionClient, now: DateTime.Utc, until: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE user_session SET ${sql.update({
            ...client,
            last_used_at: DateTime.toDate(now),
            expires_at: DateTime.toDate(until)
          })} WHERE id = ${id}
        `),

      /** Finds a session of this account that has not ended. */
      findLive: (id: string, user_id: UserId, now: DateTime.Utc) =>
        live(sql`
          SELECT a.email_verified, s.expires_at FROM user_session s JOIN user_account a ON a.id = s.user_id
          WHERE s.id = ${id} AND s.user_id = ${user_id} AND s.expires_at > ${DateTime.toDate(now)}
            AND a.deleted_at IS NULL AND NOT a.access_blocked
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
