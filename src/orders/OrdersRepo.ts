import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { Page } from "../platform/Page.ts"
import { Order, type OrderId } from "./Order.ts"
import type { OrderStatus, ProxyStatus } from "./OrderStatus.ts"

/** Which of a user's orders. */
export interface OrderFilter {
  readonly status?: OrderStatus
  readonly proxy_type?: Order["proxy_type"]
  readonly proxy_status?: ProxyStatus
}

const Count = Schema.Struct({ proxy_status: Schema.String, count: Schema.Int })

export class OrdersRepo extends Context.Service<OrdersRepo>()("app/orders/OrdersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const Id = Schema.String

    const matching = (user: UserId, filter: OrderFilter) =>
      sql.and([
        sql`user_id = ${user}`,
        ...(filter.status === undefined ? [] : [sql`status = ${filter.status}`]),
        ...(filter.proxy_type === undefined ? [] : [sql`proxy_type = ${filter.proxy_type}`]),
        ...(filter.proxy_status === undefined ? [] : [sql`proxy_status = ${filter.proxy_status}`])
      ])

    const find = SqlSchema.findOneOption({
      Request: Id,
      Result: Order,
      execute: (id) => sql`SELECT * FROM proxy_order WHERE id = ${id}`
    })

    const findMany = SqlSchema.findAll({
      Request: Schema.Array(Id),
      Result: Order,
      execute: (ids) => sql`SELECT * FROM proxy_order WHERE ${sql.in("id", ids)} ORDER BY id`
    })

    const decodeOrders = Schema.decodeUnknownEffect(Schema.Array(Order))
    const encodeInserts = Schema.encodeEffect(Schema.NonEmptyArray(Order.insert))

    /** One batch of proxies whose time has come; a batch that another instance holds is skipped. */
    const due = (status: ProxyStatus, column: "expiring_at" | "expires_at", now: Date, limit: number) => sql`
      SELECT id FROM proxy_order
      WHERE proxy_status = ${status} AND ${sql(column)} <= ${now}
      ORDER BY ${sql(column)} LIMIT ${limit} FOR UPDATE SKIP LOCKED
    `

    return {
      insert: (orders: Arr.NonEmptyReadonlyArray<typeof Order.insert.Type>) =>
        encodeInserts(orders).pipe(
          Effect.flatMap((rows) => sql`INSERT INTO proxy_order ${sql.insert(rows)}`),
          Effect.orDie
        ),

      find: (id: OrderId) => Effect.orDie(find(id)),

      findMany: (ids: ReadonlyArray<OrderId>) => Effect.orDie(findMany(ids)),

      list: (user: UserId, filter: OrderFilter, { limit, offset }: Page) =>
        sql`
          SELECT * FROM proxy_order WHERE ${matching(user, filter)}
          ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}
        `.pipe(Effect.flatMap(decodeOrders), Effect.orDie),

      count: (user: UserId, filter: OrderFilter) =>
        sql<{ count: number }>`SELECT count(*)::int AS count FROM proxy_order WHERE ${matching(user, filter)}`.pipe(
          Effect.map((rows) => rows[0]?.count ?? 0),
          Effect.orDie
        ),

      countByProxyStatus: (user: UserId, filter: OrderFilter) =>
        sql`
          SELECT proxy_status, count(*)::int AS count FROM proxy_order
          WHERE ${matching(user, filter)} GROUP BY proxy_status
        `.pipe(Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(Count))), Effect.orDie),

      /** `active` to `expiring`; answers how many moved. */
      markExpiring: (now: DateTime.Utc, limit: number) =>
        sql`
          UPDATE proxy_order SET proxy_status = 'expiring', updated_at = ${DateTime.toDate(now)}
          WHERE id IN (${due("active", "expiring_at", DateTime.toDate(now), limit)}) RETURNING id
        `.pipe(
          Effect.map((rows) => rows.length),
          Effect.orDie
        ),

      /** `expiring` to `expired`, the order with it; answers how many moved. */
      markExpired: (now: DateTime.Utc, limit: number) =>
        sql`
          UPDATE proxy_order SET proxy_status = 'expired', status = 'expired', updated_at = ${DateTime.toDate(now)}
          WHERE id IN (${due("expiring", "expires_at", DateTime.toDate(now), limit)}) RETURNING id
        `.pipe(
          Effect.map((rows) => rows.length),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
