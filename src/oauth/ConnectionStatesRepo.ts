import { PgClient } from "@effect/sql-pg"
import { Context, type DateTime, Effect, Layer, Queue, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import { Scope } from "../accounts/Scope.ts"
import { UserId } from "../accounts/User.ts"

/** What a live connection allows. */
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

    const findLive = SqlSchema.findOneOption({
      Request: Schema.Struct({ id: Schema.String, now: Schema.DateTimeUtcFromDate }),
      Result: ConnectionState,
      execute: ({ id, now }) => sql`
        SELECT g.id AS grant_id, g.user_id, g.client_id, g.scopes, c.expires_at
        FROM oauth_connection c JOIN oauth_grant g ON g.id = c.grant_id
        WHERE c.id = ${id} AND c.revoked_at IS NULL AND c.expires_at > ${now}
      `
    })

    return {
      findLive: (id: string, now: DateTime.Utc) => Effect.orDie(findLive({ id, now })),

      /** Tells of every grant that changes or loses a connection, until the listening ends with its connection. */
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
