import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, Effect, Layer, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import { Order, type OrderId, OrderRow } from "./Order.ts"

export class OrdersRepo extends Context.Service<OrdersRepo>()("app/orders/OrdersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const Id = Schema.String

    const find = SqlSchema.findOneOption({
      Request: Id,
      Result: OrderRow,
      execute: (id) => sql`SELECT * FROM proxy_order WHERE id = ${id}`
    })

    const findMany = SqlSchema.findAll({
      Request: Schema.Array(Id),
      Result: OrderRow,
      execute: (ids) => sql`SELECT * FROM proxy_order WHERE ${sql.in("id", ids)} ORDER BY id`
    })

    const insert = SqlSchema.findAll({
      Request: Schema.NonEmptyArray(Order.insert),
      Result: OrderRow,
      execute: (orders) => sql`
        WITH inserted AS (INSERT INTO proxy_order ${sql.insert(orders).returning("*")}), begun AS (
          INSERT INTO provisioning_attempt (id, order_id, provider, started_at)
          SELECT gen_random_uuid(), id, provider, created_at FROM inserted WHERE status = 'paid'
        )
        SELECT * FROM inserted
      `
    })

    return {
      /** Adds orders; what is paid has its first attempt to provision on record from then on. */
      insert: (orders: Arr.NonEmptyReadonlyArray<typeof Order.insert.Type>) => Effect.orDie(insert(orders)),

      find: (id: OrderId) => Effect.orDie(find(id)),

      findMany: (ids: ReadonlyArray<OrderId>) => Effect.orDie(findMany(ids))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
