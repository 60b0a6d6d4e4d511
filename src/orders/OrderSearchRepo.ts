import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { Page } from "../platform/fields/Page.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { OrderId } from "./Order.ts"
import { matching } from "./OrderListsRepo.ts"
import type { Chosen } from "./OrderFilter.ts"
import type { OrderSearch } from "./OrderSearch.ts"
import { ListedOrderRow } from "./OrderView.ts"

const Found = Schema.Struct({ total: Schema.Int, ids: Schema.Array(OrderId) })
const Country = Schema.Struct({ country: Schema.String })

const readFound = Rows.one(Found)
const readCountries = Rows.all(Country)
const readOrders = Rows.unchecked(ListedOrderRow)

/** The orders among which the countries of an account are looked for: the newest ones. */
const ordersWithCountries = 1000

const sorts = {
  created_at: "created_at DESC, id DESC",
  expires_at: "proxy_status IN ('active', 'expiring') DESC, expires_at, id",
  name: "lower(notes), id"
} as const satisfies Record<NonNullable<OrderSearch["sort"]>, string>

/** The texts of an order that a search reads. Line breaks keep a text from going over from one to the next. */
const searched = "host || ':' || port, username, notes, array_to_string(tags, E'\\n')"

/** A shorter text is a part of many ids by chance. */
const leastOfId = 8

const searchedFor = (q: string) => `lower(concat_ws(E'\\n', ${q.length < leastOfId ? searched : `${searched}, id`}))`

export class OrderSearchRepo extends Context.Service<OrderSearchRepo>()("app/orders/OrderSearchRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(Rows.columnsOf(ListedOrderRow))

    const fitting = (user: UserId, search: Chosen<OrderSearch>) =>
      sql.and([
        matching(sql, user, search),
        ...(search.country === undefined ? [] : [sql`country = ${search.country}`]),
        ...(search.auto_renew === undefined ? [] : [sql`auto_renew = ${search.auto_renew}`]),
        ...(search.q === undefined ? [] : [sql`strpos(${sql.literal(searchedFor(search.q))}, lower(${search.q})) > 0`])
      ])

    return {
      /** Finds a page of the matching orders, and counts all of them. Reads every order of the account that fits the filter. */
      find: (user: UserId, search: Chosen<OrderSearch>, { limit, offset }: Page) =>
        sql`
          WITH fitting AS MATERIALIZED (
            SELECT id, created_at, expires_at, proxy_status, notes FROM proxy_order WHERE ${fitting(user, search)}
          )
          SELECT (SELECT count(*)::int FROM fitting) AS total, ARRAY(
            SELECT id FROM fitting
            ORDER BY ${sql.literal(sorts[search.sort ?? "created_at"])} LIMIT ${limit} OFFSET ${offset}
          ) AS ids
        `.pipe(readFound),

      /** Reads orders of the account, in the order of `ids`. Leaves out those that it does not have. */
      read: (user: UserId, ids: ReadonlyArray<OrderId>) =>
        sql`SELECT ${columns} FROM proxy_order WHERE id = ANY (${[...ids]}::uuid[]) AND user_id = ${user}`.pipe(
          readOrders,
          Effect.map((rows) => {
            const byId = new Map(rows.map((row) => [row.id, row]))
            return ids.flatMap((id) => byId.get(id) ?? [])
          })
        ),

      /** The countries of the newest orders of the account. */
      countries: (user: UserId) =>
        sql`
          SELECT DISTINCT country FROM (
            SELECT country FROM proxy_order WHERE user_id = ${user}
            ORDER BY created_at DESC, id DESC LIMIT ${ordersWithCountries}
          ) newest ORDER BY country
        `.pipe(
          readCountries,
          Effect.map((rows) => rows.map(({ country }) => country))
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
