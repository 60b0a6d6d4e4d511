import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import { OAuthClient } from "./OAuthClient.ts"

export class ClientsRepo extends Context.Service<ClientsRepo>()("app/oauth/ClientsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(OAuthClient)
    const first = Rows.first(OAuthClient)

    return {
      find: (id: string) => first(sql`SELECT * FROM oauth_client WHERE id = ${id}`),

      insert: (client: OAuthClient) =>
        encode(client).pipe(
          Effect.flatMap((row) => sql`INSERT INTO oauth_client ${sql.insert(row)}`),
          Effect.asVoid,
          Effect.orDie
        ),

      /**
       * Inserts or updates a client as its document describes it. Keeps the time of its last use to the hour. An older
       * description changes nothing.
       */
      keepDocument: (client: OAuthClient) =>
        encode(client).pipe(
          Effect.flatMap(
            (row) => sql`
              INSERT INTO oauth_client AS c ${sql.insert(row)}
              ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, redirect_uris = EXCLUDED.redirect_uris,
                grant_types = EXCLUDED.grant_types, application_type = EXCLUDED.application_type,
                fresh_until = EXCLUDED.fresh_until, last_used_at = EXCLUDED.last_used_at
              WHERE c.fresh_until < EXCLUDED.fresh_until
                OR (c.fresh_until = EXCLUDED.fresh_until AND c.last_used_at < EXCLUDED.last_used_at - interval '1 hour')
            `
          ),
          Effect.asVoid,
          Effect.orDie
        ),

      markUsed: (id: string, now: DateTime.Utc) =>
        sql`UPDATE oauth_client SET last_used_at = ${DateTime.toDate(now)} WHERE id = ${id}`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),

      /**
       * Deletes at most `limit` clients that were last used before `before` and have no waiting request and no live
       * connection, with all their rows; returns their number.
       */
      removeUnused: Effect.fnUntraced(function* (before: DateTime.Utc, limit: number) {
        const now = DateTime.toDate(yield* DateTime.now)
        const removed = yield* Effect.orDie(sql`
          DELETE FROM oauth_client WHERE id IN (
            SELECT c.id FROM oauth_client c
            WHERE c.last_used_at < ${DateTime.toDate(before)}
              AND NOT EXISTS (SELECT FROM oauth_authorization a WHERE a.client_id = c.id AND a.expires_at > ${now})
              AND NOT EXISTS (
                SELECT FROM oauth_grant g JOIN oauth_connection n ON n.grant_id = g.id
                WHERE g.client_id = c.id AND n.revoked_at IS NULL AND n.expires_at > ${now}
              )
            LIMIT ${limit} FOR UPDATE OF c SKIP LOCKED
          ) RETURNING id
        `)
        return removed.length
      }),

      /**
       * Deletes at most `limit` clients that a document describes, that no person approved, and whose document is no longer
       * fresh; returns their number.
       */
      removeUnapproved: Effect.fnUntraced(function* (before: DateTime.Utc, limit: number) {
        const now = DateTime.toDate(yield* DateTime.now)
        const removed = yield* Effect.orDie(sql`
          DELETE FROM oauth_client WHERE id IN (
            SELECT c.id FROM oauth_client c
            WHERE c.is_verified AND c.last_used_at < ${DateTime.toDate(before)} AND c.fresh_until <= ${now}
              AND NOT EXISTS (SELECT FROM oauth_authorization a WHERE a.client_id = c.id AND a.expires_at > ${now})
              AND NOT EXISTS (SELECT FROM oauth_grant g WHERE g.client_id = c.id)
            LIMIT ${limit} FOR UPDATE OF c SKIP LOCKED
          ) RETURNING id
        `)
        return removed.length
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
