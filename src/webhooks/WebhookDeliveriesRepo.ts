import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Queue, Schema } from "effect"
import type { Statement } from "effect/sql"
import { DueDelivery } from "./DueDelivery.ts"
import { WebhookEndpointId } from "./WebhookEndpoint.ts"
import type { Turn } from "./WebhookQueue.ts"
import { maxAttempts } from "./WebhookRetryPolicy.ts"

const DueEndpoint = Schema.Struct({ endpoint_id: WebhookEndpointId, is_failing: Schema.Boolean })
const decodeEndpoints = Schema.decodeUnknownEffect(Schema.Array(DueEndpoint))
const decodeDue = Schema.decodeUnknownEffect(Schema.Array(DueDelivery))
const isEndpointId = Schema.is(WebhookEndpointId)

/** The event's columns and those of its delivery, whose id is `delivery_id`. */
const dueDelivery = (row: Readonly<Record<string, unknown>>) => {
  const { attempt, delivery_id, endpoint_id, is_failing, signing_secret, url, ...event } = row
  return { id: delivery_id, endpoint_id, attempt, url, signing_secret, is_failing, event }
}

/** An enabled endpoint of an account that was not deleted. */
const wanted = (sql: PgClient.PgClient) => sql`
  EXISTS (SELECT FROM user_account a WHERE a.id = e.user_id AND a.deleted_at IS NULL) AND e.enabled
`

/** Begins the next attempt of up to `limit` due deliveries of each endpoint; what another instance takes is skipped. */
const claim = (sql: PgClient.PgClient, turns: ReadonlyArray<Turn>, now: Date, lease: Date) => sql`
  WITH due AS (
    SELECT d.id FROM unnest(
      ${turns.map(({ endpoint_id }) => endpoint_id)}::uuid[], ${turns.map(({ limit }) => limit)}::int[]
    ) AS turn (endpoint_id, "limit")
    JOIN webhook_endpoint e ON e.id = turn.endpoint_id AND ${wanted(sql)}
    CROSS JOIN LATERAL (
      SELECT id FROM webhook_delivery
      WHERE endpoint_id = turn.endpoint_id AND status = 'pending' AND next_attempt_at <= ${now} AND attempt < ${maxAttempts}
      ORDER BY next_attempt_at LIMIT turn.limit FOR UPDATE SKIP LOCKED
    ) d
  ), claimed AS (
    UPDATE webhook_delivery d SET attempt = d.attempt + 1, next_attempt_at = ${lease}
    FROM due WHERE d.id = due.id
    RETURNING d.id, d.endpoint_id, d.event_id, d.attempt
  ), begun AS (
    INSERT INTO webhook_attempt (delivery_id, attempt, started_at) SELECT id, attempt, ${now} FROM claimed
  )
  SELECT v.*, c.id AS delivery_id, c.endpoint_id, c.attempt, e.url, e.signing_secret,
    e.failing_since IS NOT NULL AS is_failing
  FROM claimed c JOIN webhook_endpoint e ON e.id = c.endpoint_id JOIN webhook_event v ON v.id = c.event_id
`

/** Ends due deliveries, as many as it answers. */
const end = (sql: PgClient.PgClient, status: string, which: Statement.Fragment, now: Date, limit: number) =>
  sql`
    UPDATE webhook_delivery SET status = ${status}, next_attempt_at = NULL, finished_at = ${now}
    WHERE id IN (
      SELECT d.id FROM webhook_delivery d JOIN webhook_endpoint e ON e.id = d.endpoint_id
      WHERE d.status = 'pending' AND d.next_attempt_at <= ${now} AND ${which}
      LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED
    ) RETURNING id
  `.pipe(
    Effect.map((ended) => ended.length),
    Effect.orDie
  )

/** What has to be sent. */
export class WebhookDeliveriesRepo extends Context.Service<WebhookDeliveriesRepo>()(
  "app/webhooks/WebhookDeliveriesRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* PgClient.PgClient

      return {
        claim: (turns: ReadonlyArray<Turn>, now: DateTime.Utc, lease: DateTime.Utc) =>
          claim(sql, turns, DateTime.toDate(now), DateTime.toDate(lease)).pipe(
            Effect.flatMap((rows) => decodeDue(rows.map(dueDelivery))),
            Effect.orDie
          ),

        /** Those that have waited longest come first. */
        dueEndpoints: (now: DateTime.Utc, limit: number) =>
          sql`
            SELECT e.id AS endpoint_id, e.failing_since IS NOT NULL AS is_failing
            FROM webhook_delivery d JOIN webhook_endpoint e ON e.id = d.endpoint_id
            WHERE d.status = 'pending' AND d.next_attempt_at <= ${DateTime.toDate(now)} AND ${wanted(sql)}
            GROUP BY e.id ORDER BY min(d.next_attempt_at) LIMIT ${limit}
          `.pipe(Effect.flatMap(decodeEndpoints), Effect.orDie),

        /** Due, but nobody wants them any more: answers how many of at most `limit` were cancelled. */
        cancelUnwanted: (now: DateTime.Utc, limit: number) =>
          end(sql, "cancelled", sql`NOT (${wanted(sql)})`, DateTime.toDate(now), limit),

        /** The outcome of their fifth attempt is lost: answers how many of at most `limit` were abandoned. */
        abandonLost: (now: DateTime.Utc, limit: number) =>
          end(sql, "abandoned", sql`d.attempt = ${maxAttempts}`, DateTime.toDate(now), limit),

        /** Runs `react` with the endpoints of new deliveries, once `begin` has run; until the connection is lost. */
        onRecorded: <R>(begin: Effect.Effect<void, never, R>, react: (ids: ReadonlySet<WebhookEndpointId>) => void) =>
          Effect.scoped(
            Effect.gen(function* () {
              const notifications = yield* sql.listen("webhook_delivery")
              yield* begin
              return yield* Queue.takeAll(notifications).pipe(
                Effect.map((recorded) => react(new Set(recorded.map(({ payload }) => payload).filter(isEndpointId)))),
                Effect.forever
              )
            })
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
