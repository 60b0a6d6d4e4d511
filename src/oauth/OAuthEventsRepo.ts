import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { UserId } from "../accounts/User.ts"
import { AccountEvent, OAuthEvent } from "./OAuthEvent.ts"

export class OAuthEventsRepo extends Context.Service<OAuthEventsRepo>()("app/oauth/OAuthEventsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(OAuthEvent)

    const list = SqlSchema.findAll({
      Request: Schema.Struct({
        user_id: Schema.NullOr(UserId),
        client_id: Schema.NullOr(Schema.String),
        limit: Schema.Int
      }),
      Result: AccountEvent,
      execute: ({ client_id, limit, user_id }) => sql`
        SELECT e.*, a.email FROM oauth_event e LEFT JOIN user_account a ON a.id = e.user_id
        WHERE ${sql.and([
          ...(user_id === null ? [sql`true`] : [sql`e.user_id = ${user_id}`]),
          ...(client_id === null ? [] : [sql`e.client_id = ${client_id}`])
        ])}
        ORDER BY e.id DESC LIMIT ${limit}
      `
    })

    return {
      /** In the caller's transaction. */
      record: (event: OAuthEvent) =>
        encode(event).pipe(
          Effect.flatMap((row) => sql`INSERT INTO oauth_event ${sql.insert(row)}`),
          Effect.asVoid,
          Effect.orDie
        ),

      /** The newest first; null means any. */
      list: (filter: { user_id: UserId | null; client_id: string | null; limit: number }) => Effect.orDie(list(filter)),

      /** Deletes at most `limit` events from before; answers how many. */
      removeBefore: (before: DateTime.Utc, limit: number) =>
        Effect.orDie(sql`
          DELETE FROM oauth_event WHERE id IN (
            SELECT id FROM oauth_event WHERE occurred_at < ${DateTime.toDate(before)} LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING id
        `).pipe(Effect.map((rows) => rows.length))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
