import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { type Chosen, type ChosenStatus, type OrderFilter, orderStatusOf, type ProxyFilter } from "./OrderFilter.ts"
import type { OrderPage } from "./OrderPage.ts"
import { ProxyStatus } from "./OrderStatus.ts"
import { ListedOrderRow } from "./OrderView.ts"

const Month = Schema.Struct({ month: Schema.Date, orders: Schema.Int })
const Count = Schema.Struct({ proxy_status: ProxyStatus, orders: Schema.Int })

const readMonths = Rows.unchecked(Month)
const readCounts = Rows.all(Count)
const readOrders = Rows.unchecked(ListedOrderRow)

const isOf = (sql: SqlClient.SqlClient, status: ChosenStatus) =>
  status === "not_cancelled" ? sql`proxy_status <> 'cancelled'` : sql`proxy_status = ${status}`

/** Names the order status even where the proxy status implies it, because the index of pages begins with it. */
export const matching = (sql: SqlClient.SqlClient, user: UserId, filter: Chosen<OrderFilter>) => {
  const { proxy_status, proxy_type } = filter
  const status = filter.status ?? (proxy_status && orderStatusOf[proxy_status])
  return sql.and([
    sql`user_id = ${user}`,
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(proxy_type === undefined ? [] : [sql`proxy_type = ${proxy_type}`]),
    ...(proxy_status === undefined ? [] : [isOf(sql, proxy_status)])
  ])
}

/** The tallies of an account's orders, and the changes that are not added to them yet. */
const tallies = (sql: SqlClient.SqlClient, user: UserId, filter: Chosen<OrderFilter>) => sql`(
  SELECT month, proxy_status, orders FROM order_tally WHERE ${matching(sql, user, filter)}
  UNION ALL
  SELECT month, proxy_status, orders FROM order_tally_change WHERE ${matching(sql, user, filter)}
) tallies`

/** Adds changes to the tallies, oldest first. Skips an account when one of its tallies would fall below zero. */
const add = (sql: SqlClient.SqlClient, limit: number) =>
  sql<{ taken: number; wrong: ReadonlyArray<string> }>`
    WITH taken AS (
      DELETE FROM order_tally_change
      WHERE id = ANY (ARRAY(SELECT id FROM order_tally_change ORDER BY id LIMIT ${limit}))
      RETURNING user_id, month, proxy_type, status, proxy_status, orders
    ), sums AS (
      SELECT user_id, month, proxy_type, status, proxy_status, sum(orders)::int AS orders
      FROM taken GROUP BY 1, 2, 3, 4, 5 HAVING sum(orders) <> 0
    ), wrong AS (
      SELECT DISTINCT user_id
      FROM sums s LEFT JOIN order_tally t USING (user_id, month, proxy_type, status, proxy_status)
      WHERE coalesce(t.orders, 0) + s.orders < 0
    ), merged AS (
      MERGE INTO order_tally t USING (SELECT * FROM sums WHERE user_id NOT IN (SELECT user_id FROM wrong)) s
      ON (t.user_id, t.month, t.proxy_type, t.status, t.proxy_status)
        = (s.user_id, s.month, s.proxy_type, s.status, s.proxy_status)
      WHEN MATCHED AND t.orders + s.orders = 0 THEN DELETE
      WHEN MATCHED THEN UPDATE SET orders = t.orders + s.orders
      WHEN NOT MATCHED THEN INSERT (user_id, month, proxy_type, status, proxy_status, orders)
        VALUES (s.user_id, s.month, s.proxy_type, s.status, s.proxy_status, s.orders)
      RETURNING t.user_id
    )
    SELECT (SELECT count(*)::int FROM taken) AS taken, ARRAY(SELECT user_id FROM wrong) AS wrong
  `

/** Counts the orders of accounts again. One statement sees the orders and their recorded changes at the same moment. */
const recount = (sql: SqlClient.SqlClient, users: ReadonlyArray<string>) =>
  Effect.andThen(
    sql`DELETE FROM order_tally WHERE user_id = ANY (${users}::uuid[])`,
    sql`
      WITH recorded AS (DELETE FROM order_tally_change WHERE user_id = ANY (${users}::uuid[]))
      INSERT INTO order_tally (user_id, month, proxy_type, status, proxy_status, orders)
      SELECT user_id, date_trunc('month', created_at, 'UTC'), proxy_type, status, proxy_status, count(*)
      FROM proxy_order WHERE user_id = ANY (${users}::uuid[]) GROUP BY 1, 2, 3, 4, 5
    `
  )

/** Readers see a change before or after it is added, never twice. A second instance waits for the first. */
const compact = (sql: SqlClient.SqlClient) => {
  const exclusively = Effect.fnUntraced(function* (limit: number) {
    yield* sql`SELECT pg_advisory_xact_lock(hashtext('order_tally'))`
    const [{ taken, wrong } = { taken: 0, wrong: [] }] = yield* add(sql, limit)
    if (wrong.length > 0) yield* recount(sql, wrong)
    return { taken, recounted: wrong }
  }, sql.withTransaction)
  return Effect.fnUntraced(function* (limit: number) {
    const recorded = yield* sql`SELECT id FROM order_tally_change LIMIT 1`
    return recorded.length === 0 ? { taken: 0, recounted: [] } : yield* exclusively(limit)
  }, Effect.orDie)
}

const listing = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(Rows.columnsOf(ListedOrderRow))
  const orders = {
    "newest first": sql.literal("created_at DESC, id DESC"),
    "oldest first": sql.literal("created_at, id")
  }
  return (user: UserId, filter: Chosen<OrderFilter>, { direction, from, limit, skip, to }: OrderPage) =>
    sql`
      SELECT ${columns} FROM proxy_order WHERE id IN (
        SELECT id FROM proxy_order
        WHERE ${matching(sql, user, filter)}
          AND created_at >= ${DateTime.toDate(from)} AND created_at < ${DateTime.toDate(to)}
        ORDER BY ${orders[direction]} LIMIT ${limit} OFFSET ${skip}
      )
      ORDER BY created_at DESC, id DESC
    `.pipe(readOrders)
}

export class OrderListsRepo extends Context.Service<OrderListsRepo>()("app/orders/OrderListsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Number of matching orders for each month, newest first. */
      months: (user: UserId, filter: Chosen<OrderFilter>) =>
        sql`
          SELECT month, sum(orders)::int AS orders FROM ${tallies(sql, user, filter)}
          GROUP BY month HAVING sum(orders) > 0 ORDER BY month DESC
        `.pipe(
          readMonths,
          Effect.map((rows) => rows.map(({ month, orders }) => ({ month: DateTime.fromDateUnsafe(month), orders })))
        ),

      countByProxyStatus: (user: UserId, filter: Pick<ProxyFilter, "proxy_type">) =>
        sql`
          SELECT proxy_status, sum(orders)::int AS orders FROM ${tallies(sql, user, filter)} GROUP BY proxy_status
        `.pipe(readCounts),

      page: listing(sql),

      /** Adds up to `limit` changes to the tallies. Returns their number, and the accounts whose tallies were wrong. */
      compact: compact(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
