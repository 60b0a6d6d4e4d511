import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { OrderId } from "../../orders/Order.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { StaffOrder } from "./StaffOrder.ts"

/** Orders with their customers. */
export class StaffOrdersRepo extends Context.Service<StaffOrdersRepo>()("app/staff/StaffOrdersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const one = Rows.first(StaffOrder)

    return {
      find: (id: OrderId) =>
        one(sql`
          SELECT o.*, a.email, f.name AS offer_name, p.code AS promo_code
          FROM proxy_order o JOIN user_account a ON a.id = o.user_id
            LEFT JOIN offer f ON f.id = o.offer_id LEFT JOIN promo_code p ON p.id = o.promo_code_id
          WHERE o.id = ${id}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
