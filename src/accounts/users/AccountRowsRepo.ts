import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { UserId } from "../User.ts"
import { type AccountTable, accountTables, type Owner } from "./AccountTables.ts"

/** Limit of the rows that are read at once. */
const readAtOnce = 500

const Row = Schema.Struct({ key: Schema.String, row: Schema.Unknown })
const readRows = Rows.all(Row)

const ownedBy = (sql: SqlClient.SqlClient, user: UserId): Readonly<Record<Owner, Statement.Fragment>> => {
  const orders = sql`SELECT id FROM proxy_order WHERE user_id = ${user}`
  const endpoints = sql`SELECT id FROM webhook_endpoint WHERE user_id = ${user}`
  return {
    user_id: sql`user_id = ${user}`,
    referrer_id: sql`referrer_id = ${user}`,
    order: sql`order_id IN (${orders})`,
    endpoint: sql`endpoint_id IN (${endpoints})`,
    delivery: sql`delivery_id IN (SELECT id FROM webhook_delivery WHERE endpoint_id IN (${endpoints}))`,
    proxy: sql`proxy_id IN (SELECT id FROM gateway_proxy WHERE reference IN (${orders}))`
  }
}

/** The rows of an account in the tables of `accountTables`, for its export. */
export class AccountRowsRepo extends Context.Service<AccountRowsRepo>()("app/accounts/AccountRowsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const read = (user: UserId, { columns, key, owner, table }: AccountTable, after: string) =>
      readRows(sql`
        SELECT key, row FROM (
          SELECT ${sql.literal(`(${key})::text COLLATE "C"`)} AS key,
            (SELECT to_jsonb(r) FROM (SELECT ${sql.literal(columns.map((name) => `t.${name}`).join(", "))}) r) AS row
          FROM ${sql.literal(table)} t WHERE ${ownedBy(sql, user)[owner]}
        ) own
        WHERE key > ${after} ORDER BY key LIMIT ${readAtOnce}
      `)

    const rowsOf = (user: UserId, table: AccountTable) =>
      Stream.paginate("", (after: string) =>
        Effect.map(read(user, table, after), (found) => {
          const last = found.length < readAtOnce ? Option.none() : Option.fromNullishOr(found.at(-1)?.key)
          return [found.map(({ row }) => row), last] as const
        })
      )

    return {
      /** Each list of `accountTables`. Holds a few hundred rows at a time. */
      lists: (user: UserId): Readonly<Record<string, Stream.Stream<unknown>>> =>
        Object.fromEntries(Object.entries(accountTables).map(([name, table]) => [name, rowsOf(user, table)]))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
