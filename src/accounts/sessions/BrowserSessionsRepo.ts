import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { UserId } from "../User.ts"

const BrowserSession = Schema.Struct({
  session_id: Schema.String,
  user_id: UserId,
  last_used_at: Schema.DateTimeUtcFromDate
})

/** The cookies that browsers hold for sessions. `SessionsRepo` keeps the sessions. */
export class BrowserSessionsRepo extends Context.Service<BrowserSessionsRepo>()("app/accounts/BrowserSessionsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = Rows.first(BrowserSession)

    return {
      insert: (row: { token_hash: string; session_id: string }) =>
        Effect.orDie(sql`INSERT INTO browser_session ${sql.insert(row)}`),

      /** Finds the session while it has not ended. */
      findLive: (token_hash: string, now: DateTime.Utc) =>
        first(sql`
          SELECT s.id AS session_id, s.user_id, coalesce(s.last_used_at, s.created_at) AS last_used_at
          FROM browser_session b JOIN user_session s ON s.id = b.session_id JOIN user_account a ON a.id = s.user_id
          WHERE b.token_hash = ${token_hash} AND s.expires_at > ${DateTime.toDate(now)} AND NOT a.access_blocked
        `),

      /** Ends the session. */
      remove: (token_hash: string) =>
        Effect.orDie(sql`
          DELETE FROM user_session
          WHERE id = (SELECT session_id FROM browser_session WHERE token_hash = ${token_hash})
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
