import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Wakes } from "../../platform/postgres/Wakes.ts"
import { Order, OrderId, type PlacedOrder } from "../Order.ts"
import type { Delivered, DeliveredOrder, KeepAnswer } from "./Delivery.ts"

/** A paid order that no process works on. */
const Unprovisioned = Schema.Struct({
  ...Order.fields,
  /** Start of the attempt whose outcome is unknown; null without such an attempt. */
  attempt_started_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  is_owner_gone: Schema.Boolean
})
export type Unprovisioned = typeof Unprovisioned.Type

/** An attempt that was given up; its proxy may still turn up. */
const AbandonedAttempt = Schema.Struct({ order_id: OrderId, provider: Schema.String })
export type AbandonedAttempt = typeof AbandonedAttempt.Type

/** Time from the delivery of a proxy to its first sync. */
const firstSync = { hours: 1 }

const allDeliveries = Rows.unchecked(
  Schema.Struct({ answer: Schema.NullOr(Schema.Json), is_kept: Schema.Boolean, has_webhook: Schema.Boolean })
)
const allUnprovisioned = Rows.all(Unprovisioned)
const allAbandoned = Rows.all(AbandonedAttempt)
const providerNames = Rows.all(Schema.Struct({ provider: Schema.String }))
const firstId = Rows.first(Schema.Struct({ id: OrderId }))

/** The paid order, while this process holds it: no other process has claimed the order since it was read. */
const held = (sql: PgClient.PgClient, { id, provision_at }: PlacedOrder) =>
  sql`id = ${id} AND status = 'paid' AND provision_at = ${DateTime.toDate(provision_at)}`

/** Closes the open attempt of the orders in `mine`. */
const closing = (sql: PgClient.PgClient, outcome: string, detail: string | null, now: Date) => sql`
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

  /** Claims a provider's paid orders that no process works on, until `lease`. */
  claim: (provider: string, now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
    sql`
      UPDATE proxy_order o SET provision_at = ${DateTime.toDate(lease)}
      FROM (
        SELECT id FROM proxy_order
        WHERE provider = ${provider} AND status = 'paid' AND provision_at <= ${DateTime.toDate(now)}
        ORDER BY provision_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) due
      WHERE o.id = due.id
      RETURNING o.*, (
        SELECT started_at FROM provisioning_attempt a WHERE a.order_id = o.id AND a.outcome IS NULL
      ) AS attempt_started_at, EXISTS (
        SELECT FROM user_account u WHERE u.id = o.user_id AND u.deleted_at IS NOT NULL
      ) AS is_owner_gone
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

  /** Closes an abandoned attempt: its proxy was found. */
  settleAbandoned: (id: OrderId, detail: string) =>
    Effect.orDie(sql`
      UPDATE provisioning_attempt SET outcome = 'refused', detail = ${detail}
      WHERE order_id = ${id} AND outcome = 'abandoned'
    `),

  /** Closes abandoned attempts from before `since`. */
  forgetAbandoned: (since: DateTime.Utc) =>
    Effect.orDie(sql`
      UPDATE provisioning_attempt SET outcome = 'refused'
      WHERE outcome = 'abandoned' AND started_at < ${DateTime.toDate(since)}
    `)
})

const deliveries = (sql: PgClient.PgClient, { wake }: Wakes["Service"]) => {
  const keepNothing: KeepAnswer = () => sql`SELECT NULL::jsonb AS answer WHERE false`

  return {
    /**
     * Moves a paid order to `provisioned`, even while another process holds the order, and stores the answer of its
     * request. Undefined when the order is no longer paid, or another order has the proxy.
     */
    provisioned: Effect.fnUntraced(function* (
      order: DeliveredOrder,
      keep: KeepAnswer = keepNothing,
      now: DateTime.Utc
    ) {
      const kept = keep(order, sql`EXISTS (SELECT FROM mine)`)
      const delivery = sql`
        WITH mine AS (
          UPDATE proxy_order SET status = ${order.status}, proxy_status = ${order.proxy_status},
            provider_proxy_id = ${order.provider_proxy_id}, host = ${order.host}, port = ${order.port},
            username = ${order.username}, password = ${order.password}, whitelisted_ips = ${order.whitelisted_ips},
            cycle_started_at = ${DateTime.toDate(order.cycle_started_at)},
            expiring_at = ${DateTime.toDate(order.expiring_at)}, expires_at = ${DateTime.toDate(order.expires_at)},
            sync_at = ${DateTime.toDate(DateTime.add(now, firstSync))}, updated_at = ${DateTime.toDate(now)}
          WHERE id = ${order.id} AND status = 'paid' AND NOT EXISTS (
            SELECT FROM proxy_order other
            WHERE other.provider = proxy_order.provider AND other.provider_proxy_id = ${order.provider_proxy_id}
          )
          RETURNING id
        ), attempt AS (${closing(sql, "provisioned", null, DateTime.toDate(now))}), kept AS (${kept})
        SELECT kept.answer, EXISTS (SELECT FROM kept) AS is_kept, EXISTS (
          SELECT FROM webhook_endpoint WHERE user_id = ${order.user_id} AND enabled
        ) AS has_webhook
        FROM mine LEFT JOIN kept ON true
      `
      const [delivered] = yield* allDeliveries(delivery)
      if (delivered === undefined) return undefined
      // Most accounts have no webhook, so their purchases need no wake-up.
      if (delivered.has_webhook) yield* wake("proxy_status", [order.id])
      const { answer, is_kept } = delivered
      return { order, answer, is_kept } satisfies Delivered
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
