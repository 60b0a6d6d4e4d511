import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, Effect, Layer, Schema } from "effect"
import { SqlSchema, type Statement } from "effect/sql"
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

    const encode = Schema.encodeEffect(Schema.toCodecJson(Schema.NonEmptyArray(Order.insert)))
    const decode = Schema.decodeUnknownEffect(Schema.NonEmptyArray(OrderRow))

    /**
     * Buys orders in one statement: the claim of a key when there is one, the wallet's charge and the paid orders with
     * their first attempts. Without a row the key was another's, without an order the wallet had too little money.
     */
    const purchase = Effect.fnUntraced(function* (
      orders: Arr.NonEmptyReadonlyArray<typeof Order.insert.Type>,
      charging: (when: Statement.Fragment) => Effect.Effect<Statement.Fragment>,
      claiming: Statement.Fragment = sql`SELECT`
    ) {
      const columns = sql.csv(Object.keys(orders[0]).map((name) => sql`${sql(name)}`))
      const found = yield* sql<{ id: string | null }>`
        WITH claimed AS (${claiming}), ${yield* charging(sql`EXISTS (SELECT FROM claimed)`)}, inserted AS (
          INSERT INTO proxy_order (${columns})
          SELECT ${columns} FROM jsonb_populate_recordset(NULL::proxy_order, ${sql.json(yield* encode(orders))})
          WHERE EXISTS (SELECT FROM counted)
          RETURNING *
        ), begun AS (
          INSERT INTO provisioning_attempt (id, order_id, provider, started_at)
          SELECT gen_random_uuid(), id, provider, created_at FROM inserted
        )
        SELECT inserted.* FROM claimed LEFT JOIN inserted ON true
      `
      if (found.length === 0) return "claimed by another"
      return found[0]?.id === null ? "too little money" : yield* decode(found)
    }, Effect.orDie)

    return {
      purchase,

      /** Adds orders; what is paid has its first attempt to provision on record from then on. */
      insert: (orders: Arr.NonEmptyReadonlyArray<typeof Order.insert.Type>) => Effect.orDie(insert(orders)),

      find: (id: OrderId) => Effect.orDie(find(id)),

      findMany: (ids: ReadonlyArray<OrderId>) => Effect.orDie(findMany(ids))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
