import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { OrderId } from "../Order.ts"

/** A free change of a proxy that its owner can make. */
export const ChangeKind = Schema.Literals(["whitelist", "credentials", "protocol", "rotated", "signature", "released"])
export type ChangeKind = typeof ChangeKind.Type

/** An entry of the history of a proxy. */
export const OrderEvent = Schema.Struct({
  kind: Schema.Literals([...ChangeKind.literals, "bought", "active", "append", "restart", "traffic", "expired"]),
  /** Months or GB (10^9 bytes) of a proxy change; null for anything else. */
  amount: Schema.NullOr(Schema.Finite),
  /**
   * The credential that made the change: `owner` is one that is not on record, `service` is the service itself, as for
   * auto-renew.
   */
  actor: Schema.Literals(["session", "api_key", "oauth", "owner", "service"]),
  /** The id of the API key or of the OAuth client; null for all other actors. */
  actor_id: Schema.NullOr(Schema.String),
  occurred_at: Schema.DateTimeUtcFromDate
})
export type OrderEvent = typeof OrderEvent.Type

interface NewEvent extends Pick<OrderEvent, "actor" | "actor_id"> {
  readonly id: string
  readonly order_id: OrderId
  readonly kind: ChangeKind
}

const readEvents = Rows.all(OrderEvent)

export class OrderEventsRepo extends Context.Service<OrderEventsRepo>()("app/orders/OrderEventsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    /** The purchase of the proxy, and its delivery. */
    const bought = (id: OrderId) => sql`
      SELECT 'bought' AS kind, NULL::double precision AS amount,
        CASE WHEN api_key_id IS NULL THEN 'owner' ELSE 'api_key' END AS actor, api_key_id::text AS actor_id,
        created_at AS occurred_at
      FROM proxy_order WHERE id = ${id}
      UNION ALL
      SELECT 'active', NULL, 'service', NULL, finished_at
      FROM provisioning_attempt WHERE order_id = ${id} AND outcome = 'provisioned'
      UNION ALL
      SELECT 'expired', NULL, 'service', NULL, expires_at
      FROM proxy_order WHERE id = ${id} AND proxy_status = 'expired'
    `

    /** The bought changes, each with the credential that paid for it. */
    const changed = (id: OrderId) => sql`
      SELECT c.kind, CASE c.kind WHEN 'traffic' THEN c.added_gb WHEN 'append' THEN c.period_months END,
        CASE WHEN c.origin = 'auto_renew' THEN 'service' WHEN p.api_key_id IS NULL THEN 'owner' ELSE 'api_key' END,
        p.api_key_id::text, c.updated_at
      FROM proxy_change c LEFT JOIN wallet_transaction p
        ON p.order_id = c.order_id AND p.transaction_type = 'payment' AND p.reference = 'change:' || c.id
      WHERE c.order_id = ${id} AND c.status = 'applied'
    `

    return {
      /** Records a change. A deleted account has no history. */
      add: ({ actor, actor_id, id, kind, order_id }: NewEvent, now: DateTime.Utc) =>
        Effect.orDie(sql`
          INSERT INTO order_event (id, order_id, kind, actor, actor_id, occurred_at)
          SELECT ${id}, o.id, ${kind}, ${actor}, ${actor_id}::text, ${DateTime.toDate(now)}
          FROM proxy_order o JOIN user_account a ON a.id = o.user_id
          WHERE o.id = ${order_id} AND a.deleted_at IS NULL
        `),

      /** The latest entries of the history of an order, newest first. */
      latest: (id: OrderId, limit: number) =>
        readEvents(sql`
          ${bought(id)} UNION ALL ${changed(id)} UNION ALL
          SELECT kind, NULL, actor, actor_id, occurred_at FROM order_event WHERE order_id = ${id}
          ORDER BY occurred_at DESC, kind LIMIT ${limit}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
