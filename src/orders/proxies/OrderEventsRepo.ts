import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Page } from "../../platform/fields/Page.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { ActedBy } from "../ActedBy.ts"
import type { OrderId } from "../Order.ts"
import { type ChangeKind, OrderEvent, type RenewalReason } from "./OrderEvent.ts"

interface NewEvent extends ActedBy {
  readonly id: string
  readonly order_id: OrderId
  readonly kind: ChangeKind | "renewal_failed"
  readonly reason: RenewalReason | null
}

const readEvents = Rows.all(OrderEvent)
const readCount = Rows.one(Schema.Struct({ total: Schema.Int }))

/** The order, its payment, its delivery and its end. */
const lifeOf = (sql: SqlClient.SqlClient, id: OrderId) => sql`
  SELECT 'ordered' AS kind, created_at AS occurred_at,
    CASE WHEN api_key_id IS NOT NULL THEN 'api_key' WHEN oauth_client_id IS NOT NULL THEN 'oauth' ELSE 'owner' END AS actor,
    coalesce(api_key_id::text, oauth_client_id) AS actor_id, NULL::int AS months, NULL::double precision AS added_gb,
    total, currency, NULL AS reason
  FROM proxy_order WHERE id = ${id}
  UNION ALL
  SELECT 'paid', p.updated_at, 'owner', NULL, NULL, NULL, NULL, NULL, NULL
  FROM proxy_order o JOIN payment_intent p ON p.id = o.payment_intent_id WHERE o.id = ${id} AND p.status = 'paid'
  UNION ALL
  SELECT CASE outcome WHEN 'provisioned' THEN 'delivered' ELSE 'not_delivered' END, finished_at, 'service', NULL, NULL,
    NULL, NULL, NULL, NULL
  FROM provisioning_attempt WHERE order_id = ${id} AND outcome IN ('provisioned', 'refused', 'abandoned', 'orphaned')
  UNION ALL
  SELECT 'refunded', created_at, 'service', NULL, NULL, NULL, amount, currency, NULL
  FROM wallet_transaction WHERE order_id = ${id} AND transaction_type = 'refund'
  UNION ALL
  SELECT CASE proxy_status WHEN 'expired' THEN 'ended' ELSE 'cancelled' END,
    CASE proxy_status WHEN 'expired' THEN expires_at ELSE updated_at END,
    CASE WHEN status = 'cancelled' AND EXISTS (
      SELECT FROM payment_intent p WHERE p.id = payment_intent_id AND p.status = 'failed'
    ) THEN 'owner' ELSE 'service' END, NULL, NULL, NULL, NULL, NULL, NULL
  FROM proxy_order WHERE id = ${id} AND (proxy_status = 'expired' OR status = 'cancelled')
`

/** The bought changes. A renewal that the provider refused is an event of its own. */
const changesOf = (sql: SqlClient.SqlClient, id: OrderId) => sql`
  SELECT CASE WHEN c.status = 'refused' THEN 'change_failed' WHEN c.kind = 'replace' THEN 'replaced'
      WHEN c.origin = 'staff' THEN 'time_given' WHEN c.kind = 'traffic' THEN 'traffic'
      WHEN c.origin = 'auto_renew' THEN 'renewed' ELSE 'extended' END,
    c.updated_at,
    CASE WHEN c.actor IS NOT NULL THEN c.actor WHEN c.origin = 'auto_renew' THEN 'service'
      WHEN p.api_key_id IS NOT NULL THEN 'api_key' ELSE 'owner' END,
    coalesce(c.actor_id, p.api_key_id::text), CASE WHEN c.kind = 'append' AND c.origin <> 'staff' THEN c.period_months END,
    c.added_gb, CASE WHEN c.total > 0 THEN c.total END, CASE WHEN c.total > 0 THEN c.currency END, c.refusal
  FROM proxy_change c LEFT JOIN wallet_transaction p
    ON p.order_id = c.order_id AND p.transaction_type = 'payment' AND p.reference = 'change:' || c.id
  WHERE c.order_id = ${id} AND (c.status = 'applied' OR (c.status = 'refused' AND c.origin = 'request'))
`

const eventsOf = (sql: SqlClient.SqlClient, id: OrderId) => sql`
  ${lifeOf(sql, id)} UNION ALL ${changesOf(sql, id)} UNION ALL
  SELECT kind, occurred_at, actor, actor_id, NULL, NULL, NULL, NULL, reason FROM order_event WHERE order_id = ${id}
`

export class OrderEventsRepo extends Context.Service<OrderEventsRepo>()("app/orders/OrderEventsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return {
      /** Records an event. A deleted account has no history. */
      add: ({ actor, actor_id, id, kind, order_id, reason }: NewEvent, now: DateTime.Utc) =>
        Effect.orDie(sql`
          INSERT INTO order_event (id, order_id, kind, actor, actor_id, reason, occurred_at)
          SELECT ${id}, o.id, ${kind}, ${actor}, ${actor_id}::text, ${reason}::text, ${DateTime.toDate(now)}
          FROM proxy_order o JOIN user_account a ON a.id = o.user_id
          WHERE o.id = ${order_id} AND a.deleted_at IS NULL
        `),

      /** A page of the history of an order, newest first, with the names of keys and apps. */
      list: (id: OrderId, { limit, offset }: Page) =>
        readEvents(sql`
          SELECT e.*, coalesce(k.name, c.name) AS actor_name
          FROM (
            SELECT * FROM (${eventsOf(sql, id)}) every
            ORDER BY occurred_at DESC, kind = 'refunded' DESC, kind LIMIT ${limit} OFFSET ${offset}
          ) e
          JOIN proxy_order o ON o.id = ${id}
          LEFT JOIN api_key k ON e.actor = 'api_key' AND k.user_id = o.user_id AND k.id::text = e.actor_id
          LEFT JOIN oauth_client c ON e.actor = 'oauth' AND c.id = e.actor_id
          ORDER BY e.occurred_at DESC, e.kind = 'refunded' DESC, e.kind
        `),

      count: (id: OrderId) =>
        Effect.map(
          readCount(sql`SELECT count(*)::int AS total FROM (${eventsOf(sql, id)}) every`),
          ({ total }) => total
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
