import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { OrderId } from "../../orders/Order.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { OrderStep, type StepKind } from "./StaffOrder.ts"

type Sql = PgClient.PgClient

/** The order, its payment from outside, and its deliveries. */
const life = (sql: Sql, id: OrderId) => sql`
  SELECT 'ordered' AS kind, id::text AS id, created_at AS at, NULL AS state, payment_method AS detail,
    coalesce('api_key ' || api_key_id, 'app ' || oauth_client_id, 'customer') AS by, currency, total AS amount
  FROM proxy_order WHERE id = ${id}
  UNION ALL
  SELECT 'ended', id::text, expires_at, NULL, NULL, NULL, NULL, NULL
  FROM proxy_order WHERE id = ${id} AND proxy_status = 'expired'
  UNION ALL
  SELECT 'payment_asked', p.id::text, p.created_at, p.status, p.payment_method, NULL, p.currency, p.amount
  FROM proxy_order o JOIN payment_intent p ON p.id = o.payment_intent_id WHERE o.id = ${id}
  UNION ALL
  SELECT 'payment_arrived', c.charge_id, c.created_at, NULL, c.payment_method, NULL, c.currency, c.amount
  FROM proxy_order o JOIN payment_charge c USING (payment_intent_id) WHERE o.id = ${id}
  UNION ALL
  SELECT 'payment_reversed', r.reversal_id, r.created_at, r.status, r.kind, NULL, r.currency, r.amount
  FROM proxy_order o JOIN payment_charge c USING (payment_intent_id)
    JOIN payment_reversal r ON r.payment_method = c.payment_method AND r.charge_id = c.charge_id
  WHERE o.id = ${id}
  UNION ALL
  SELECT 'callback', c.id::text, c.received_at, c.outcome, c.payment_method, NULL, NULL, NULL
  FROM proxy_order o JOIN payment_callback c USING (payment_intent_id) WHERE o.id = ${id}
  UNION ALL
  SELECT 'delivery_began', id::text, started_at, NULL, provider, NULL, NULL, NULL
  FROM provisioning_attempt WHERE order_id = ${id}
  UNION ALL
  SELECT 'delivery_ended', id::text, finished_at, outcome, detail, NULL, NULL, NULL
  FROM provisioning_attempt WHERE order_id = ${id} AND finished_at IS NOT NULL
`

/** The ledger, and what staff did with money. */
const money = (sql: Sql, id: OrderId) => sql`
  SELECT 'entry', id::text, created_at, status, transaction_type || coalesce(' ' || cause, ''), NULL, currency, amount
  FROM wallet_transaction WHERE order_id = ${id}
  UNION ALL
  SELECT 'refund_asked', id::text, created_at, status, kind || ' to ' || destination || ': ' || reason, created_by_name,
    currency, amount
  FROM order_refund WHERE order_id = ${id}
  UNION ALL
  SELECT 'refund_decided', id::text, decided_at, status, NULL, decided_by_name, currency, amount
  FROM order_refund WHERE order_id = ${id} AND decided_by IS NOT NULL AND decided_at IS NOT NULL
  UNION ALL
  SELECT 'card_refund', g.id::text, g.created_at, g.status, coalesce(g.failure, g.payment_method), NULL, g.currency, g.amount
  FROM order_refund f JOIN gateway_refund g ON g.order_refund_id = f.id WHERE f.order_id = ${id}
  UNION ALL
  SELECT 'adjustment', a.id::text, a.created_at, a.status, a.cause || ': ' || a.reason, a.created_by_name, a.currency, a.amount
  FROM proxy_order o JOIN wallet_adjustment a ON a.user_id = o.user_id AND a.order_id = o.id WHERE o.id = ${id}
`

/** Changes of the proxy, and the restrictions of its owner since the order. */
const changes = (sql: Sql, id: OrderId) => sql`
  SELECT 'change', id::text, updated_at, status, kind || ' ' || origin || coalesce(': ' || refusal, ''),
    CASE WHEN origin = 'staff' THEN given_by WHEN actor IS NULL AND origin = 'request' THEN 'customer'
      ELSE nullif(actor, 'service') || coalesce(' ' || actor_id, '') END, currency, total
  FROM proxy_change WHERE order_id = ${id}
  UNION ALL
  SELECT 'event', id::text, occurred_at, kind, reason, nullif(actor, 'service') || coalesce(' ' || actor_id, ''), NULL, NULL
  FROM order_event WHERE order_id = ${id}
  UNION ALL
  SELECT 'outage', id::text, from_at, coalesce(ended_by, 'lasts'),
    error || coalesce(': ' || floor(extract(epoch FROM to_at - from_at) / 60) || ' minutes', ''), NULL, NULL, NULL
  FROM proxy_outage WHERE order_id = ${id}
  UNION ALL
  SELECT 'warranty', id::text, created_at, 'credited', down_seconds || ' of ' || period_seconds || ' seconds', NULL, currency, amount
  FROM warranty_claim WHERE order_id = ${id}
  UNION ALL
  SELECT 'staff', id::text, occurred_at, outcome, action || coalesce(' ' || (after ->> 'kind'), '')
    || coalesce(' ' || (after ->> 'time'), '') || coalesce(': ' || reason, ''), actor_name, NULL, NULL
  FROM audit_event WHERE subject_id = ${id}::text AND subject_kind = 'order'
  UNION ALL
  SELECT 'restricted', r.id::text, r.placed_at, r.preset, r.internal_reason, r.placed_by, NULL, NULL
  FROM proxy_order o JOIN account_restriction r ON r.user_id = o.user_id AND r.placed_at >= o.created_at WHERE o.id = ${id}
  UNION ALL
  SELECT 'lifted', r.id::text, r.lifted_at, r.preset, r.lift_reason, r.lifted_by, NULL, NULL
  FROM proxy_order o JOIN account_restriction r ON r.user_id = o.user_id AND r.lifted_at >= o.created_at WHERE o.id = ${id}
  UNION ALL
  SELECT 'proxy_stopped', order_id::text, coalesce(stopped_at, created_at), task, detail, NULL, NULL, NULL
  FROM proxy_stop WHERE order_id = ${id}
`

/** The events of an order, from the tables of all folders. */
export class OrderTimelineRepo extends Context.Service<OrderTimelineRepo>()("app/staff/OrderTimelineRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const steps = Rows.all(OrderStep)

    return {
      /** The events of some kinds, the newest first. */
      list: (id: OrderId, kinds: ReadonlyArray<StepKind>, limit: number) =>
        steps(sql`
          SELECT * FROM (${life(sql, id)} UNION ALL ${money(sql, id)} UNION ALL ${changes(sql, id)}) every
          WHERE kind = ANY (${[...kinds]}::text[])
          ORDER BY at DESC, kind, id LIMIT ${limit}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
