import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Queue, Schema } from "effect"
import type { Statement } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import { DueDelivery } from "./DueDelivery.ts"
import type { DeliveryStatus } from "./WebhookDelivery.ts"
import { WebhookEndpointId } from "./WebhookEndpoint.ts"
import type { Turn } from "./WebhookQueue.ts"
import { maxAttempts } from "./WebhookRetryPolicy.ts"

const DueEndpoint = Schema.Struct({ endpoint_id: WebhookEndpointId, is_proven: Schema.Boolean })
const ClaimedDelivery = Schema.Struct({ ...DueDelivery.fields, is_proven: DueEndpoint.fields.is_proven })
const readEndpoints = Rows.all(DueEndpoint)
const readClaimed = Rows.all(ClaimedDelivery)
const readRecorded = Rows.one(Schema.Struct({ next: Schema.String, endpoints: Schema.Array(WebhookEndpointId) }))
const isEndpointId = Schema.is(WebhookEndpointId)

/** Splits a row into the delivery (its id is the column `delivery_id`) and the event. */
const claimedDelivery = (row: Readonly<Record<string, unknown>>) => {
  const { attempt, delivery_id, endpoint_id, is_proven, previous_secret, signing_secret, url, ...event } = row
  return { id: delivery_id, endpoint_id, attempt, url, signing_secret, previous_secret, is_proven, event }
}

/** The endpoint is enabled and its account exists. */
const wanted = (sql: PgClient.PgClient) => sql`
  EXISTS (SELECT FROM user_account a WHERE a.id = e.user_id AND a.deleted_at IS NULL) AND e.enabled
`

/** Deliveries of an account that the operator has suspended wait until it is free. */
const isFree = (sql: PgClient.PgClient) => sql`
  EXISTS (SELECT FROM user_account a WHERE a.id = e.user_id AND NOT (a.access_blocked OR a.service_blocked))
`

/** The last attempt was delivered. Only the instance that made it knows its duration. */
const isProven = (sql: PgClient.PgClient) => sql`e.failing_since IS NULL AND e.last_delivery_at IS NOT NULL`

/** A first attempt is due immediately, even when the clock of the instance that recorded it is ahead by this time. */
const clockSkew = "5 seconds"

/** Begins the next attempt of up to `limit` due deliveries of each endpoint. Skips deliveries of other instances. */
const claim = (sql: PgClient.PgClient, turns: ReadonlyArray<Turn>, now: Date, leaseEnds: Date) => sql`
  WITH due AS (
    SELECT d.id FROM unnest(
      ${turns.map(({ endpoint_id }) => endpoint_id)}::uuid[], ${turns.map(({ limit }) => limit)}::int[]
    ) AS turn (endpoint_id, "limit")
    JOIN webhook_endpoint e ON e.id = turn.endpoint_id AND ${wanted(sql)} AND ${isFree(sql)}
    CROSS JOIN LATERAL (
      SELECT id FROM webhook_delivery
      WHERE endpoint_id = turn.endpoint_id AND status = 'pending' AND attempt < ${maxAttempts}
        AND next_attempt_at <= ${now}::timestamptz + ${clockSkew}::interval
        AND (attempt = 0 OR next_attempt_at <= ${now})
      ORDER BY next_attempt_at LIMIT turn.limit FOR UPDATE SKIP LOCKED
    ) d
  ), claimed AS (
    UPDATE webhook_delivery d SET attempt = d.attempt + 1, next_attempt_at = ${leaseEnds}
    FROM due WHERE d.id = due.id
    RETURNING d.id, d.endpoint_id, d.event_id, d.attempt
  ), begun AS (
    INSERT INTO webhook_attempt (delivery_id, attempt, started_at) SELECT id, attempt, ${now} FROM claimed
  )
  SELECT v.*, c.id AS delivery_id, c.endpoint_id, c.attempt, e.url, e.signing_secret,
    CASE WHEN e.previous_secret_ends_at > ${now} THEN e.previous_secret END AS previous_secret,
    ${isProven(sql)} AS is_proven
  FROM claimed c JOIN webhook_endpoint e ON e.id = c.endpoint_id JOIN webhook_event v ON v.id = c.event_id
`

const lookInterval = "1 second"

/** Ends due deliveries and returns their number. */
const end = (sql: PgClient.PgClient, status: DeliveryStatus, which: Statement.Fragment, now: Date, limit: number) =>
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

/**
 * Lists the endpoints of the deliveries that transactions from `since` on have recorded and nobody has claimed, and the
 * `since` of the next call. Without `since` it lists none. Restored rows may have transactions of the future.
 */
const recordedSince = (sql: PgClient.PgClient, since: string | undefined) =>
  readRecorded(sql`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS next, ARRAY(
      SELECT DISTINCT endpoint_id FROM webhook_delivery
      WHERE status = 'pending' AND attempt = 0
        AND recorded_in >= ${since ?? null}::bigint AND recorded_in < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    ) AS endpoints
  `)

const look = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  since: string,
  react: (ids: ReadonlySet<WebhookEndpointId>) => void
) {
  for (let from = since; ;) {
    yield* Effect.sleep(lookInterval)
    const { endpoints, next } = yield* recordedSince(sql, from)
    if (endpoints.length > 0) react(new Set(endpoints))
    from = next
  }
})

/** Pending deliveries. */
export class WebhookDeliveriesRepo extends Context.Service<WebhookDeliveriesRepo>()(
  "app/webhooks/WebhookDeliveriesRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* PgClient.PgClient

      return {
        /** PostgreSQL plans this query every time: a plan from when the tables were small is many times slower. */
        claim: (turns: ReadonlyArray<Turn>, now: DateTime.Utc, leaseEnds: DateTime.Utc) =>
          claim(sql, turns, DateTime.toDate(now), DateTime.toDate(leaseEnds)).unprepared.pipe(
            Effect.map((rows) => rows.map(claimedDelivery)),
            readClaimed
          ),

        /** Proven endpoints come first, then the endpoints that have waited longest. */
        dueEndpoints: (now: DateTime.Utc, limit: number) =>
          sql`
            SELECT e.id AS endpoint_id, ${isProven(sql)} AS is_proven
            FROM webhook_delivery d JOIN webhook_endpoint e ON e.id = d.endpoint_id
            WHERE d.status = 'pending' AND d.next_attempt_at <= ${DateTime.toDate(now)} AND ${wanted(sql)}
              AND ${isFree(sql)}
            GROUP BY e.id ORDER BY is_proven DESC, min(d.next_attempt_at) LIMIT ${limit}
          `.pipe(readEndpoints),

        cancelPending: (ids: ReadonlyArray<WebhookEndpointId>, now: DateTime.Utc) =>
          Effect.orDie(sql`
            UPDATE webhook_delivery
            SET status = 'cancelled', next_attempt_at = NULL, finished_at = ${DateTime.toDate(now)}
            WHERE endpoint_id = ANY (${ids}::uuid[]) AND status = 'pending'
          `),

        /** Cancels due deliveries of disabled endpoints and deleted accounts. Returns their number, at most `limit`. */
        cancelUnwanted: (now: DateTime.Utc, limit: number) =>
          end(sql, "cancelled", sql`NOT (${wanted(sql)})`, DateTime.toDate(now), limit),

        /** Abandons deliveries whose fifth attempt has no outcome. Returns their number, at most `limit`. */
        abandonLost: (now: DateTime.Utc, limit: number) =>
          end(sql, "abandoned", sql`d.attempt = ${maxAttempts}`, DateTime.toDate(now), limit),

        /**
         * Runs `begin`, then `react` with the endpoints of each new delivery, until the connection is lost. Also looks for new
         * deliveries every second, because a wake-up is lost with the process that should send it.
         */
        onRecorded: <R>(begin: Effect.Effect<void, never, R>, react: (ids: ReadonlySet<WebhookEndpointId>) => void) =>
          Effect.scoped(
            Effect.gen(function* () {
              const notifications = yield* sql.listen("webhook_delivery")
              const { next } = yield* recordedSince(sql, undefined)
              yield* begin
              const woken = Queue.takeAll(notifications).pipe(
                Effect.map((recorded) => react(new Set(recorded.map(({ payload }) => payload).filter(isEndpointId)))),
                Effect.forever
              )
              return yield* Effect.raceFirst(woken, look(sql, next, react))
            })
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
