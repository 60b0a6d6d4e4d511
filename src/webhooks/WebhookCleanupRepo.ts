import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"

const count = (statement: Statement.Statement<object>) =>
  statement.pipe(
    Effect.map((removed) => removed.length),
    Effect.orDie
  )

/** Removes deliveries before their events, because the deletion of an endpoint locks its deliveries but no events. */
export class WebhookCleanupRepo extends Context.Service<WebhookCleanupRepo>()("app/webhooks/WebhookCleanupRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Removes endpoints of deleted accounts with their deliveries. Returns their number, at most `limit`. */
      removeEndpoints: (limit: number) =>
        count(sql`
          DELETE FROM webhook_endpoint WHERE id IN (
            SELECT e.id FROM webhook_endpoint e JOIN user_account a ON a.id = e.user_id
            WHERE a.deleted_at IS NOT NULL LIMIT ${limit} FOR UPDATE OF e SKIP LOCKED
          ) RETURNING id
        `),

      /** Erases old secrets after their overlap. Returns their number, at most `limit`. */
      removeSecrets: (now: DateTime.Utc, limit: number) =>
        count(sql`
          UPDATE webhook_endpoint SET previous_secret = NULL, previous_secret_ends_at = NULL WHERE id IN (
            SELECT id FROM webhook_endpoint WHERE previous_secret_ends_at <= ${DateTime.toDate(now)}
            LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
          ) RETURNING id
        `),

      /** Removes ended deliveries of old events. Returns their number, at most `limit`. */
      removeDeliveries: (before: DateTime.Utc, limit: number) =>
        count(sql`
          DELETE FROM webhook_delivery WHERE id IN (
            SELECT d.id FROM webhook_event v JOIN webhook_delivery d ON d.event_id = v.id
            WHERE v.occurred_at < ${DateTime.toDate(before)} AND d.status <> 'pending'
            LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED
          ) RETURNING id
        `),

      /** Removes old events without deliveries. Returns their number, at most `limit`. */
      removeEvents: (before: DateTime.Utc, limit: number) =>
        count(sql`
          DELETE FROM webhook_event WHERE id IN (
            SELECT id FROM webhook_event v
            WHERE occurred_at < ${DateTime.toDate(before)}
              AND NOT EXISTS (SELECT FROM webhook_delivery d WHERE d.event_id = v.id)
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING id
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
