import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { AccountEvent, OAuthEvent } from "./OAuthEvent.ts"

/** Selects events; null means any. */
interface EventFilter {
  readonly user_id: UserId | null
  readonly client_id: string | null
  readonly limit: number
}

export class OAuthEventsRepo extends Context.Service<OAuthEventsRepo>()("app/oauth/OAuthEventsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(OAuthEvent)
    const all = Rows.all(AccountEvent)

    return {
      /** Records an event in the caller's transaction. */
      record: (event: OAuthEvent) =>
        encode(event).pipe(
          Effect.flatMap((row) => sql`INSERT INTO oauth_event ${sql.insert(row)}`),
          Effect.asVoid,
          Effect.orDie
        ),

      /** Lists the newest events first. */
      list: ({ client_id, limit, user_id }: EventFilter) =>
        all(sql`
          SELECT e.*, a.email FROM oauth_event e LEFT JOIN user_account a ON a.id = e.user_id
          WHERE ${sql.and([
            ...(user_id === null ? [sql`true`] : [sql`e.user_id = ${user_id}`]),
            ...(client_id === null ? [] : [sql`e.client_id = ${client_id}`])
          ])}
          ORDER BY e.id DESC LIMIT ${limit}
        `),

      /** Deletes at most `limit` events older than `before`; returns their number. */
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
