import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { KeepingPart } from "../../idempotency/Idempotency.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { type IfLocked, lockedRows, lockWaits } from "../../platform/postgres/IfLocked.ts"
import { Wakes } from "../../platform/postgres/Wakes.ts"
import { Order, OrderId, type PlacedOrder } from "../Order.ts"
import type { Delivered, Delivery } from "./Delivery.ts"

/** A paid order that no process works on. */
const Unprovisioned = Schema.Struct({
  ...Order.fields,
  /** Start of the attempt whose outcome is unknown; null without such an attempt. */
  attempt_started_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  is_owner_gone: Schema.Boolean,
  /** True while a restriction stops the service of the account. */
  is_owner_blocked: Schema.Boolean
})
export type Unprovisioned = typeof Unprovisioned.Type

/** An attempt that was given up; its proxy may still turn up. */
const AbandonedAttempt = Schema.Struct({ order_id: OrderId, provider: Schema.String })
export type AbandonedAttempt = typeof AbandonedAttempt.Type

type NonEmptyDeliveries = Arr.NonEmptyReadonlyArray<Delivery>

/** Time from the delivery of a proxy to its first sync. */
const firstSync = Duration.hours(1)

const allDeliveries = Rows.unchecked(
  Schema.Struct({
    id: OrderId,
    answer: Schema.NullOr(Schema.Json),
    is_kept: Schema.Boolean,
    has_webhook: Schema.Boolean
  })
)
const allUnprovisioned = Rows.all(Unprovisioned)
const allAbandoned = Rows.all(AbandonedAttempt)
const providerNames = Rows.all(Schema.Struct({ provider: Schema.String }))
const firstId = Rows.first(Schema.Struct({ id: OrderId }))

/** The paid order, while this process holds it: no other process has claimed the order since it was read. */
const held = (sql: PgClient.PgClient, { id, provision_at }: PlacedOrder) =>
  sql`id = ${id} AND status = 'paid' AND provision_at = ${DateTime.toDate(provision_at)}`

/** Closes the open attempt of the orders in `mine`. */
const closing = (sql: PgClient.PgClient, outcome: string, detail: string, now: Date) => sql`
  UPDATE provisioning_attempt a SET outcome = ${outcome}, detail = ${detail}, finished_at = ${now}, look_at = ${now}
  FROM mine WHERE a.order_id = mine.id AND a.outcome IS NULL
`

const attempts = (sql: PgClient.PgClient) => ({
  /**
   * Claims a paid order for one call of its provider and records the start of the attempt, even when an attempt without
   * a call is on record. False when another process has claimed the order since `order` was read.
   */
  begin: (order: PlacedOrder, now: DateTime.Utc, lease: DateTime.Utc) =>
    sql`
      WITH mine AS (
        UPDATE proxy_order SET provision_at = ${DateTime.toDate(lease)} WHERE ${held(sql, order)} RETURNING id, provider
      )
      INSERT INTO provisioning_attempt (id, order_id, provider, started_at)
      SELECT ${SecureRandom.uuidV7Unsafe()}::uuid, id, provider, ${DateTime.toDate(now)}::timestamptz FROM mine
      ON CONFLICT (order_id) WHERE outcome IS NULL DO UPDATE SET started_at = excluded.started_at
      RETURNING id
    `.pipe(Rows.any),

  /** Providers with paid orders that no process works on. */
  dueProviders: (now: DateTime.Utc) =>
    sql`
      SELECT DISTINCT provider FROM proxy_order WHERE status = 'paid' AND provision_at <= ${DateTime.toDate(now)}
    `.pipe(
      providerNames,
      Effect.map((rows) => rows.map(({ provider }) => provider))
    ),

  /** Claims a provider's paid orders that no process works on, until `lease`; with `only` this order alone. */
  claim: (provider: string, now: DateTime.Utc, lease: DateTime.Utc, limit: number, only?: OrderId) =>
    sql`
      UPDATE proxy_order o SET provision_at = ${DateTime.toDate(lease)}
      FROM (
        SELECT id FROM proxy_order
        WHERE provider = ${provider} AND status = 'paid' AND provision_at <= ${DateTime.toDate(now)}
          AND ${only === undefined ? sql`true` : sql`id = ${only}`}
        ORDER BY provision_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) due
      WHERE o.id = due.id
      RETURNING o.*, (
        SELECT started_at FROM provisioning_attempt a WHERE a.order_id = o.id AND a.outcome IS NULL
      ) AS attempt_started_at, EXISTS (
        SELECT FROM user_account u WHERE u.id = o.user_id AND u.deleted_at IS NOT NULL
      ) AS is_owner_gone, EXISTS (
        SELECT FROM user_account u WHERE u.id = o.user_id AND (u.access_blocked OR u.service_blocked)
      ) AS is_owner_blocked
    `.pipe(allUnprovisioned),

  /** Claims the abandoned attempts that are due for a look-up; they are due again at `again`. */
  claimAbandoned: (now: DateTime.Utc, again: DateTime.Utc, limit: number) =>
    sql`
      UPDATE provisioning_attempt SET look_at = ${DateTime.toDate(again)}
      WHERE id IN (
        SELECT id FROM provisioning_attempt WHERE outcome = 'abandoned' AND look_at <= ${DateTime.toDate(now)}
        ORDER BY look_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )
      RETURNING order_id, provider
    `.pipe(allAbandoned),

  /** Closes an abandoned attempt, or one that was left to the operator: its proxy was found. */
  settleAbandoned: (id: OrderId, detail: string) =>
    Effect.orDie(sql`
      UPDATE provisioning_attempt SET outcome = 'refused', detail = ${detail}
      WHERE order_id = ${id} AND outcome IN ('abandoned', 'orphaned')
    `),

  /** Leaves an abandoned attempt to the operator: its proxy was found, and its provider cannot release it. */
  orphan: (id: OrderId, detail: string, now: DateTime.Utc) =>
    Effect.orDie(sql`
      UPDATE provisioning_attempt SET outcome = 'orphaned', detail = ${detail}, look_at = ${DateTime.toDate(now)}
      WHERE order_id = ${id} AND outcome = 'abandoned'
    `),

  /** Closes abandoned attempts from before `since`. */
  forgetAbandoned: (since: DateTime.Utc) =>
    Effect.orDie(sql`
      UPDATE provisioning_attempt SET outcome = 'refused'
      WHERE outcome = 'abandoned' AND started_at < ${DateTime.toDate(since)}
    `)
})

/** A delivery as JSON for `jsonb_to_recordset`. Times become text on their own. */
const recordOf = ({ now, order, waiting }: Delivery) => ({
  id: order.id,
  provider_proxy_id: order.provider_proxy_id,
  host: order.host,
  port: order.port,
  username: order.username,
  password: order.password,
  whitelisted_ips: order.whitelisted_ips,
  cycle_started_at: order.cycle_started_at,
  expiring_at: order.expiring_at,
  expires_at: order.expires_at,
  sync_at: DateTime.addDuration(now, firstSync),
  updated_at: now,
  operation: waiting?.keyed.operation ?? null,
  key: waiting?.keyed.key ?? null,
  reference: waiting?.keyed.reference ?? null,
  answer: waiting?.answerOf(order) ?? null
})

const deliveries = (sql: PgClient.PgClient, { wake }: Wakes["Service"]) => {
  // The CASE hides the condition from partial indexes. The planner believes that they are empty and would read all of one.
  const isPaid = sql`CASE WHEN o.status = 'paid' THEN true END`
  const isOpen = sql`CASE WHEN a.outcome IS NULL THEN true END`

  const delivering = (given: NonEmptyDeliveries, keeping: KeepingPart, ifLocked: IfLocked) => sql`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${sql.json(given.map(recordOf))}::jsonb) AS g (
        id uuid, provider_proxy_id text, host text, port integer, username text, password text, whitelisted_ips text[],
        cycle_started_at timestamptz, expiring_at timestamptz, expires_at timestamptz, sync_at timestamptz,
        updated_at timestamptz, operation text, key text, reference jsonb, answer jsonb
      )
    ), free AS (
      SELECT o.id FROM proxy_order o JOIN given g ON g.id = o.id
      WHERE ${sql.literal(lockWaits[ifLocked])}
      FOR NO KEY UPDATE OF o ${sql.literal(lockedRows[ifLocked])}
    ), mine AS (
      UPDATE proxy_order o SET status = 'provisioned', proxy_status = 'active', provider_proxy_id = g.provider_proxy_id,
        host = g.host, port = g.port, username = g.username, password = g.password, whitelisted_ips = g.whitelisted_ips,
        cycle_started_at = g.cycle_started_at, expiring_at = g.expiring_at, expires_at = g.expires_at,
        sync_at = g.sync_at, updated_at = g.updated_at
      FROM given g JOIN free ON free.id = g.id
      WHERE o.id = g.id AND ${isPaid} AND NOT EXISTS (
        SELECT FROM proxy_order other
        WHERE other.provider = o.provider AND other.provider_proxy_id = g.provider_proxy_id
      )
      RETURNING o.id, o.user_id, g.updated_at, g.operation, g.key, g.reference, g.answer
    ), attempt AS (
      UPDATE provisioning_attempt a
      SET outcome = 'provisioned', detail = NULL, finished_at = mine.updated_at, look_at = mine.updated_at
      FROM mine WHERE a.order_id = mine.id AND ${isOpen}
    ), kept AS (${keeping(sql`mine`)})
    SELECT mine.id, kept.answer, kept.reference IS NOT NULL AS is_kept, EXISTS (
      SELECT FROM webhook_endpoint e WHERE e.user_id = mine.user_id AND e.enabled
    ) AS has_webhook
    FROM mine LEFT JOIN kept ON kept.user_id = mine.user_id AND kept.reference = mine.reference
  `

  return {
    /**
     * Moves paid orders to `provisioned`, even while another process holds them, and stores the answers of the requests
     * that wait for them. Returns undefined for an order that is not paid, or whose proxy another order has. With
     * "skip", also for an order that another transaction has locked.
     */
    deliver: Effect.fnUntraced(function* (given: NonEmptyDeliveries, keeping: KeepingPart, ifLocked: IfLocked) {
      const delivered = yield* allDeliveries(delivering(given, keeping, ifLocked))
      // Most accounts have no webhook, so their purchases need no wake-up.
      const toWake = delivered.filter(({ has_webhook }) => has_webhook).map(({ id }) => id)
      if (toWake.length > 0) yield* wake("proxy_status", toWake)
      const rows = new Map(delivered.map((row) => [row.id, row]))
      return given.map(({ order }): Delivered | undefined => {
        const row = rows.get(order.id)
        return row && { order, answer: row.answer, is_kept: row.is_kept }
      })
    }),

    /** The order that has a provider's proxy, if any. */
    holderOf: (provider: string, provider_proxy_id: string) =>
      sql`
        SELECT id FROM proxy_order WHERE provider = ${provider} AND provider_proxy_id = ${provider_proxy_id}
      `.pipe(
        firstId,
        Effect.map((row) => Option.getOrUndefined(row)?.id)
      )
  }
}

export class ProvisioningRepo extends Context.Service<ProvisioningRepo>()("app/orders/ProvisioningRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return {
      ...attempts(sql),
      ...deliveries(sql, yield* Wakes),

      /** Moves a paid order to `provisioning_failed`; false when another process holds the order. */
      failed: (order: PlacedOrder, outcome: "refused" | "abandoned", reason: string, now: DateTime.Utc) =>
        sql`
          WITH mine AS (
            UPDATE proxy_order SET status = 'provisioning_failed', updated_at = ${DateTime.toDate(now)}
            WHERE ${held(sql, order)}
            RETURNING id
          ), attempt AS (${closing(sql, outcome, reason, DateTime.toDate(now))})
          SELECT id FROM mine
        `.pipe(Rows.any),

      refunded: (id: OrderId, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_order SET status = 'refunded', proxy_status = 'cancelled', updated_at = ${DateTime.toDate(now)}
          WHERE id = ${id} AND status = 'provisioning_failed'
        `),

      /** Closes the attempt, because the provider certainly did nothing; the next attempt may begin at `again`. */
      notExecuted: (order: PlacedOrder, reason: string, now: DateTime.Utc, again: DateTime.Utc) =>
        Effect.orDie(sql`
          WITH mine AS (
            UPDATE proxy_order SET provision_at = ${DateTime.toDate(again)} WHERE ${held(sql, order)} RETURNING id
          )
          ${closing(sql, "not_executed", reason, DateTime.toDate(now))}
        `),

      /** Keeps the attempt open, because its outcome is unknown, for a look-up at `again`. */
      postpone: (order: PlacedOrder, again: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE proxy_order SET provision_at = ${DateTime.toDate(again)} WHERE ${held(sql, order)}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
