import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Queue, Schema } from "effect"
import { Scope } from "../accounts/Scope.ts"
import { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"

/** The access that a live connection gives. */
const ConnectionState = Schema.Struct({
  grant_id: Schema.String,
  user_id: UserId,
  client_id: Schema.String,
  scopes: Schema.Array(Scope),
  expires_at: Schema.DateTimeUtcFromDate
})
export type ConnectionState = typeof ConnectionState.Type

export class ConnectionStatesRepo extends Context.Service<ConnectionStatesRepo>()("app/oauth/ConnectionStatesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const first = Rows.first(ConnectionState)

    return {
      findLive: (id: string, now: DateTime.Utc) =>
        first(sql`
          SELECT g.id AS grant_id, g.user_id, g.client_id, g.scopes, c.expires_at
          FROM oauth_connection c JOIN oauth_grant g ON g.id = c.grant_id
          WHERE c.id = ${id} AND c.revoked_at IS NULL AND c.expires_at > ${DateTime.toDate(now)}
        `),

      /**
       * Runs `began` once it listens, then calls `changed` for every grant that changes or loses a connection. Ends when the
       * connection to the database is lost.
       */
      listen: (reactions: { readonly began: Effect.Effect<void>; readonly changed: (grant_id: string) => void }) =>
        Effect.scoped(
          Effect.gen(function* () {
            const notifications = yield* sql.listen("oauth_grant")
            yield* reactions.began
            return yield* Effect.forever(
              Effect.map(Queue.takeAll(notifications), (taken) =>
                taken.forEach(({ payload }) => reactions.changed(payload))
              )
            )
          })
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
