import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { OrderId } from "../Order.ts"
import { ExportedRow } from "./ExportedProxy.ts"

const readRows = Rows.unchecked(ExportedRow)

export class OrderExportsRepo extends Context.Service<OrderExportsRepo>()("app/orders/OrderExportsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(Rows.columnsOf(ExportedRow))

    return {
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
