import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { OrderId } from "../Order.ts"
import { ExportedRow } from "./ExportedProxy.ts"
import { ExportSums } from "./ExportSize.ts"

const readRows = Rows.unchecked(ExportedRow)
const readSums = Rows.one(ExportSums)

export class OrderExportsRepo extends Context.Service<OrderExportsRepo>()("app/orders/OrderExportsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(Rows.columnsOf(ExportedRow))

    const bytes = (text: string) => sql.literal(`coalesce(sum(octet_length(${text})), 0)::int`)

    return {
      /** Sums the bytes of what `read` finds, without reading it. */
      measure: (user: UserId, ids: ReadonlyArray<OrderId>) =>
        readSums(sql`
          SELECT count(*)::int AS proxies, ${bytes("host")} AS host, ${bytes("username")} AS username,
            ${bytes("password")} AS password, ${bytes("city")} AS city, ${bytes("notes")} AS name,
            ${bytes("json_build_array(host, username, password, city, notes, tags)::text")} AS json
          FROM proxy_order
          WHERE id = ANY (${[...ids]}::uuid[]) AND user_id = ${user} AND provider_proxy_id IS NOT NULL
        `),

      /** Reads proxies of the account, in the order of `ids`. Leaves out orders that never had a proxy. */
      read: (user: UserId, ids: ReadonlyArray<OrderId>) =>
        sql`
          SELECT ${columns} FROM proxy_order
          WHERE id = ANY (${[...ids]}::uuid[]) AND user_id = ${user} AND provider_proxy_id IS NOT NULL
        `.pipe(
          readRows,
          Effect.map((rows) => {
            const byId = new Map(rows.map((row) => [row.id, row]))
            return ids.flatMap((id) => byId.get(id) ?? [])
          })
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
