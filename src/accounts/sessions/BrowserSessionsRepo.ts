import { Context, type DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { UserId } from "../User.ts"

const BrowserSession = Schema.Struct({
  session_id: Schema.String,
  user_id: UserId,
  /** Of the session. */
  expires_at: Schema.DateTimeUtcFromDate
})

/** What browsers hold of sessions; the sessions themselves are in `SessionsRepo`. */
export class BrowserSessionsRepo extends Context.Service<BrowserSessionsRepo>()("app/accounts/BrowserSessionsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const findLive = SqlSchema.findOneOption({
      Request: Schema.Struct({ token_hash: Schema.String, now: Schema.DateTimeUtcFromDate }),
      Result: BrowserSession,
      execute: ({ now, token_hash }) => sql`
        SELECT s.id AS session_id, s.user_id, s.expires_at
        FROM browser_session b JOIN user_session s ON s.id = b.session_id
        WHERE b.token_hash = ${token_hash} AND s.expires_at > ${now}
      `
    })

    return {
      insert: (row: { token_hash: string; session_id: string }) =>
        Effect.orDie(sql`INSERT INTO browser_session ${sql.insert(row)}`),

      /** The session while it goes on. */
      findLive: (token_hash: string, now: DateTime.Utc) => Effect.orDie(findLive({ token_hash, now })),

      /** Ends the session itself. */
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
