import { PgClient } from "@effect/sql-pg"
import { Context, type DateTime, Effect, Layer, Schema, Struct } from "effect"
import * as Rows from "../platform/postgres/Rows.ts"
import type { AttemptResult } from "./WebhookAttempt.ts"
import type { DeliveryStatus, WebhookDeliveryId } from "./WebhookDelivery.ts"
import { WebhookEndpoint, type WebhookEndpointId } from "./WebhookEndpoint.ts"

/** An endpoint whose attempts are being settled. */
const SettledEndpoint = Schema.Struct(
  Struct.pick(WebhookEndpoint.fields, [
    "id",
    "user_id",
    "url",
    "enabled",
    "failing_since",
    "failure_warned_at",
    "last_delivery_at",
    "updated_at"
  ])
)
export type SettledEndpoint = typeof SettledEndpoint.Type

const read = Rows.all(SettledEndpoint)
const encode = Schema.encodeEffect(Schema.toCodecJson(Schema.Array(SettledEndpoint)))

/** The end of an attempt. */
export interface Settled extends AttemptResult {
  readonly id: WebhookDeliveryId
  readonly attempt: number
  readonly status: DeliveryStatus
  readonly next_attempt_at: DateTime.Utc | null
  readonly finished_at: DateTime.Utc | null
}

/** The statements of a settlement. The caller runs them in one transaction. */
export class WebhookSettlementRepo extends Context.Service<WebhookSettlementRepo>()(
  "app/webhooks/WebhookSettlementRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* PgClient.PgClient

      return {
        /** Locks endpoints, always before their deliveries. Skips endpoints that another transaction holds. */
        lockEndpoints: (ids: ReadonlyArray<WebhookEndpointId>) =>
          sql`
            SELECT id, user_id, url, enabled, failing_since, failure_warned_at, last_delivery_at, updated_at
            FROM webhook_endpoint WHERE id = ANY (${ids}::uuid[]) FOR NO KEY UPDATE SKIP LOCKED
          `.pipe(read),

        /** Returns the ids that exist. */
        existing: (ids: ReadonlyArray<WebhookEndpointId>) =>
          sql<Pick<WebhookEndpoint, "id">>`SELECT id FROM webhook_endpoint WHERE id = ANY (${ids}::uuid[])`.pipe(
            Effect.map((rows) => rows.map(({ id }) => id)),
            Effect.orDie
          ),

        /**
         * Stores the outcome of attempts, unless a later attempt has begun. A delivery that was cancelled or abandoned
         * meanwhile changes only when the attempt was delivered. PostgreSQL plans this query every time, like `claim`.
         */
        settle: (settled: ReadonlyArray<Settled>) => {
          const statement = sql`
            WITH settled AS (
              SELECT * FROM jsonb_to_recordset(${sql.json(settled)}::jsonb) AS s (id uuid, attempt int, status text,
                next_attempt_at timestamptz, finished_at timestamptz, duration_ms int, status_code int, error text)
            ), outcome AS (
              UPDATE webhook_delivery d
              SET status = s.status, next_attempt_at = s.next_attempt_at, finished_at = s.finished_at
              FROM settled s
              WHERE d.id = s.id AND d.attempt = s.attempt
                AND (d.status = 'pending' OR (d.status IN ('cancelled', 'abandoned') AND s.status = 'delivered'))
            )
            UPDATE webhook_attempt a SET duration_ms = s.duration_ms, status_code = s.status_code, error = s.error
            FROM settled s WHERE a.delivery_id = s.id AND a.attempt = s.attempt
          `
          return Effect.orDie(statement.unprepared)
        },

        updateEndpoints: (endpoints: ReadonlyArray<SettledEndpoint>) =>
          encode(endpoints).pipe(
            Effect.flatMap(
              (rows) => sql`
                UPDATE webhook_endpoint e SET enabled = s.enabled, failing_since = s.failing_since,
                  failure_warned_at = s.failure_warned_at, last_delivery_at = s.last_delivery_at,
                  updated_at = s.updated_at
                FROM jsonb_to_recordset(${sql.json(rows)}::jsonb) AS s (id uuid, enabled boolean,
                  failing_since timestamptz, failure_warned_at timestamptz, last_delivery_at timestamptz,
                  updated_at timestamptz)
                WHERE e.id = s.id
              `
            ),
            Effect.orDie
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
