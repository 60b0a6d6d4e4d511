import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Wakes } from "../../platform/postgres/Wakes.ts"
import type { Decision } from "../../wallet/adjustments/Decide.ts"
import { Order, type OrderId } from "../Order.ts"
import { OrderRefund, type OrderRefundId, type RefundFilter } from "./OrderRefund.ts"

/** A change of the time or the traffic of a proxy that was made. */
const AppliedChange = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["append", "restart", "traffic"]),
  added_gb: Schema.NullOr(Schema.Finite),
  previous_expires_at: Schema.DateTimeUtcFromDate,
  attempted_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  created_at: Schema.DateTimeUtcFromDate
})
export type AppliedChange = typeof AppliedChange.Type

const Delivered = Schema.Struct({ at: Schema.DateTimeUtcFromDate })

type Part = {
  readonly refund_id: OrderRefundId
  readonly payment_id: string
  readonly user_id: UserId
  readonly currency: string
  readonly amount: bigint
  readonly transaction_id: string
}

const orders = (sql: PgClient.PgClient, { wake }: Wakes["Service"]) => {
  const order = Rows.first(Order)
  const changes = Rows.all(AppliedChange)
  const delivered = Rows.one(Delivered)
  return {
    order: (id: OrderId) => order(sql`SELECT * FROM proxy_order WHERE id = ${id}`),
    /** Locks the order until the transaction ends: proxy changes wait. */
    lockOrder: (id: OrderId) => order(sql`SELECT * FROM proxy_order WHERE id = ${id} FOR UPDATE`),
    /** The changes that were made, the oldest first. A replacement changes nothing that was paid for. */
    changes: (id: OrderId) =>
      changes(sql`
        SELECT * FROM proxy_change WHERE order_id = ${id} AND status = 'applied' AND kind <> 'replace'
        ORDER BY created_at, id
      `),
    isChanging: (id: OrderId) =>
      Rows.any(sql`SELECT id FROM proxy_change WHERE order_id = ${id} AND status = 'pending'`),
    deliveredAt: (id: OrderId) =>
      Effect.map(
        delivered(sql`
          SELECT coalesce(
            (SELECT max(finished_at) FROM provisioning_attempt WHERE order_id = o.id AND outcome = 'provisioned'), o.created_at
          ) AS at FROM proxy_order o WHERE id = ${id}
        `),
        ({ at }) => at
      ),

    /** Ends a live order. Its proxy is ended at the provider afterwards. */
    end: (id: OrderId, status: "refunded" | "cancelled", now: DateTime.Utc) =>
      Effect.orDie(
        sql`
          UPDATE proxy_order SET ${sql.update({
            status,
            proxy_status: "cancelled",
            auto_renew: false,
            renew_at: null,
            sync_at: null,
            tags: [],
            updated_at: DateTime.toDate(now)
          })} WHERE id = ${id} AND proxy_status IN ('active', 'expiring') RETURNING id
        `.pipe(Effect.tap(wake("proxy_status", [id])))
      )
  }
}

const reading = (sql: PgClient.PgClient) => {
  const all = Rows.all(OrderRefund)
  const first = Rows.first(OrderRefund)
  return {
    find: (id: OrderRefundId) => first(sql`SELECT * FROM order_refund WHERE id = ${id}`),
    lock: (id: OrderRefundId) => first(sql`SELECT * FROM order_refund WHERE id = ${id} FOR NO KEY UPDATE`),

    /** Lists refunds: requests oldest first, others newest first. */
    list: ({ after, order_id, status, user_id }: RefundFilter, limit: number) => {
      const [past, order] = status === "requested" ? [sql`>`, sql`ASC`] : [sql`<`, sql`DESC`]
      return all(sql`
        SELECT * FROM order_refund WHERE ${sql.and([
          sql`true`,
          ...(order_id === undefined ? [] : [sql`order_id = ${order_id}`]),
          ...(user_id === undefined ? [] : [sql`user_id = ${user_id}`]),
          ...(status === undefined ? [] : [sql`status = ${status}`]),
          ...(after === undefined
            ? []
            : [sql`(created_at, id) ${past} (SELECT created_at, id FROM order_refund WHERE id = ${after})`])
        ])} ORDER BY created_at ${order}, id ${order} LIMIT ${limit}
      `)
    }
  }
}

const releasing = (sql: PgClient.PgClient) => {
  const all = Rows.all(OrderRefund)
  return {
    /** Claims refunds whose proxy may still run at its provider. They are due again at `next`. */
    claimReleases: (now: DateTime.Utc, next: DateTime.Utc, limit: number) =>
      all(sql`
        UPDATE order_refund SET release_at = ${DateTime.toDate(next)} WHERE id IN (
          SELECT id FROM order_refund WHERE release_at <= ${DateTime.toDate(now)}
          ORDER BY release_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) RETURNING *
      `),
    released: (id: OrderRefundId) =>
      Effect.orDie(sql`UPDATE order_refund SET release_at = NULL WHERE id = ${id} AND release_at IS NOT NULL`),
    /** Makes the end of a proxy due. */
    releaseAt: (id: OrderRefundId, at: DateTime.Utc) =>
      Effect.orDie(
        sql`UPDATE order_refund SET release_at = ${DateTime.toDate(at)} WHERE id = ${id} AND release_at IS NOT NULL`
      ),
    /** Ends requests that nobody decided in time. */
    expire: (now: DateTime.Utc, limit: number) =>
      all(sql`
        UPDATE order_refund SET status = 'expired', decided_at = ${DateTime.toDate(now)} WHERE id IN (
          SELECT id FROM order_refund WHERE status = 'requested' AND expires_at <= ${DateTime.toDate(now)}
          ORDER BY expires_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
        ) RETURNING *
      `)
  }
}

/** Refunds of delivered orders, and what they are computed from. */
export class OrderRefundsRepo extends Context.Service<OrderRefundsRepo>()("app/orders/OrderRefundsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const first = Rows.first(OrderRefund)
    const encode = Schema.encodeEffect(OrderRefund)

    return {
      ...orders(sql, yield* Wakes),
      ...reading(sql),
      ...releasing(sql),

      /** None when another refund has the id. */
      insert: (refund: OrderRefund) =>
        encode(refund).pipe(
          Effect.map(({ computed, ...row }) => ({ ...row, computed: sql.json(computed) })),
          Effect.flatMap((row) =>
            first(sql`INSERT INTO order_refund ${sql.insert(row)} ON CONFLICT (id) DO NOTHING RETURNING *`)
          ),
          Effect.orDie
        ),
      insertPart: (part: Part) => Effect.orDie(sql`INSERT INTO order_refund_part ${sql.insert(part)}`),

      decide: ({ id }: OrderRefund, { by, status }: Decision, release_at: DateTime.Utc | null, now: DateTime.Utc) =>
        first(sql`
          UPDATE order_refund SET ${sql.update({
            status,
            release_at: release_at === null ? null : DateTime.toDate(release_at),
            decided_by: by?.id ?? null,
            decided_by_name: by?.name ?? null,
            decided_at: DateTime.toDate(now)
          })} WHERE id = ${id} RETURNING *
        `).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
