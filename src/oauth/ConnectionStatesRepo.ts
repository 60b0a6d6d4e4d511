import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Scope } from "../accounts/Scope.ts"
import { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"

/** The access that a live connection gives. */
const ConnectionState = Schema.Struct({
  grant_id: Schema.String,
  user_id: UserId,
  client_id: Schema.String,
  scopes: Schema.Array(Scope),
  /** In micro-dollars; null means no limit. */
  daily_spend_limit_usd: Schema.NullOr(Schema.BigInt),
  expires_at: Schema.DateTimeUtcFromDate
})
export type ConnectionState = typeof ConnectionState.Type

export class ConnectionStatesRepo extends Context.Service<ConnectionStatesRepo>()("app/oauth/ConnectionStatesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = Rows.first(ConnectionState)

    return {
      findLive: (id: string, now: DateTime.Utc) =>
        first(sql`
          SELECT g.id AS grant_id, g.user_id, g.client_id, g.scopes, g.daily_spend_limit_usd, c.expires_at
          FROM oauth_connection c JOIN oauth_grant g ON g.id = c.grant_id
          WHERE c.id = ${id} AND c.revoked_at IS NULL AND c.expires_at > ${DateTime.toDate(now)}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
