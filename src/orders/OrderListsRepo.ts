import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import { type OrderFilter, orderStatusOf, type ProxyFilter } from "./OrderFilter.ts"
import type { OrderPage } from "./OrderPage.ts"
import { ProxyStatus } from "./OrderStatus.ts"
import { ShownOrder } from "./OrderView.ts"

const Month = Schema.Struct({ month: Schema.DateTimeUtcFromDate, orders: Schema.Int })
const Count = Schema.Struct({ proxy_status: ProxyStatus, orders: Schema.Int })

const decodeMonths = Schema.decodeUnknownEffect(Schema.Array(Month))
const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Count))
const decodeOrders = Schema.decodeUnknownEffect(Schema.Array(ShownOrder))

/** The status is given even where the proxy's status implies it: the index of pages begins with it. */
export const matching = (sql: SqlClient.SqlClient, user: UserId, filter: OrderFilter) => {
  const { proxy_status, proxy_type } = filter
  const status = filter.status ?? (proxy_status && orderStatusOf[proxy_status])
  return sql.and([
    sql`user_id = ${user}`,
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(proxy_type === undefined ? [] : [sql`proxy_type = ${proxy_type}`]),
    ...(proxy_status === undefined ? [] : [sql`proxy_status = ${proxy_status}`])
  ])
}

/** Tallies of an account's orders, and the changes that have not been added to them yet. */
const tallies = (sql: SqlClient.SqlClient, user: UserId, filter: OrderFilter) => sql`(
  SELECT month, proxy_status, orders FROM order_tally WHERE ${matching(sql, user, filter)}
  UNION ALL
  SELECT month, proxy_status, orders FROM order_tally_change WHERE ${matching(sql, user, filter)}
) tallies`

/**
 * Adds changes to the tallies, oldest first, so that none falls below zero on the way. Readers see a change before or
 * after, never twice; another instance waits.
 */
const compact = (sql: SqlClient.SqlClient) => (limit: number) =>
  Effect.andThen(
    sql`LOCK TABLE order_tally IN SHARE ROW EXCLUSIVE MODE`,
    sql<{ taken: number }>`
      WITH taken AS (
        DELETE FROM order_tally_change
        WHERE id = ANY (ARRAY(SELECT id FROM order_tally_change ORDER BY id LIMIT ${limit}))
        RETURNING user_id, month, proxy_type, status, proxy_status, orders
      ), sums AS (
        SELECT user_id, month, proxy_type, status, proxy_status, sum(orders)::int AS orders
        FROM taken GROUP BY 1, 2, 3, 4, 5
      ), merged AS (
        MERGE INTO order_tally t USING sums s
        ON (t.user_id, t.month, t.proxy_type, t.status, t.proxy_status)
          = (s.user_id, s.month, s.proxy_type, s.status, s.proxy_status)
        WHEN MATCHED THEN UPDATE SET orders = t.orders + s.orders
        WHEN NOT MATCHED THEN INSERT (user_id, month, proxy_type, status, proxy_status, orders)
          VALUES (s.user_id, s.month, s.proxy_type, s.status, s.proxy_status, s.orders)
        RETURNING t.user_id
      )
      SELECT count(*)::int AS taken FROM taken
    `
  ).pipe(
    sql.withTransaction,
    Effect.map((rows) => rows[0]?.taken ?? 0),
    Effect.orDie
  )

const listing = (sql: SqlClient.SqlClient) => {
  const columns = sql.csv(Object.keys(ShownOrder.fields).map((column) => sql`${sql(column)}`))
  const orders = {
    "newest first": sql.literal("created_at DESC, id DESC"),
    "oldest first": sql.literal("created_at, id")
  }
  return (user: UserId, filter: OrderFilter, { direction, from, limit, skip, to }: OrderPage) =>
    sql`
      SELECT ${columns} FROM proxy_order WHERE id IN (
        SELECT id FROM proxy_order
        WHERE ${matching(sql, user, filter)}
          AND created_at >= ${DateTime.toDate(from)} AND created_at < ${DateTime.toDate(to)}
        ORDER BY ${orders[direction]} LIMIT ${limit} OFFSET ${skip}
      )
      ORDER BY created_at DESC, id DESC
    `.pipe(Effect.flatMap(decodeOrders), Effect.orDie)
}

export class OrderListsRepo extends Context.Service<OrderListsRepo>()("app/orders/OrderListsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** How many orders match, month by month, newest first. */
      months: (user: UserId, filter: OrderFilter) =>
        sql`
          SELECT month, sum(orders)::int AS orders FROM ${tallies(sql, user, filter)}
          GROUP BY month HAVING sum(orders) > 0 ORDER BY month DESC
        `.pipe(Effect.flatMap(decodeMonths), Effect.orDie),

      countByProxyStatus: (user: UserId, filter: Pick<ProxyFilter, "proxy_type">) =>
        sql`
          SELECT proxy_status, sum(orders)::int AS orders FROM ${tallies(sql, user, filter)} GROUP BY proxy_status
        `.pipe(Effect.flatMap(decodeCounts), Effect.orDie),

      page: listing(sql),

      /** Adds up to so many changes to the tallies; answers how many there were. */
      compact: compact(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
