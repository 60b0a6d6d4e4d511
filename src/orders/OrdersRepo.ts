import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, Effect, Layer, Predicate, Schema } from "effect"
import { SqlError, SqlSchema, type Statement } from "effect/sql"
import { Order, type OrderId, OrderRow } from "./Order.ts"

/** What was claimed has no charge, and so an attempt no order: that undoes the claim too. */
const isUnpaid = (error: unknown) =>
  SqlError.isSqlError(error) &&
  error.reason._tag === "ConstraintError" &&
  Predicate.hasProperty(error.reason.cause, "column") &&
  error.reason.cause.column === "order_id"

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
     * Buys orders in one statement: the claim of a key when there is one, the parts of the wallet's charge, and the paid
     * orders with their first attempts. All of it happens or nothing; undefined when the key is another's.
     */
    const purchase = Effect.fnUntraced(
      function* (
        orders: Arr.NonEmptyReadonlyArray<typeof Order.insert.Type>,
        charging: (when: Statement.Fragment) => Effect.Effect<Statement.Fragment>,
        // Without a key: a row all the same.
        claiming: Statement.Fragment = sql`SELECT`
      ) {
        const columns = sql.csv(Object.keys(orders[0]).map((name) => sql`${sql(name)}`))
        const found = yield* sql`
        WITH claimed AS (${claiming}), ${yield* charging(sql`EXISTS (SELECT FROM claimed)`)}, inserted AS (
          INSERT INTO proxy_order (${columns})
          SELECT ${columns} FROM jsonb_populate_recordset(NULL::proxy_order, ${sql.json(yield* encode(orders))})
          WHERE EXISTS (SELECT FROM counted)
          RETURNING *
        ), begun AS (
          INSERT INTO provisioning_attempt (id, order_id, provider, started_at)
          SELECT gen_random_uuid(), id, provider, created_at FROM claimed LEFT JOIN inserted ON true
        )
        SELECT * FROM inserted
      `
        return found.length === 0 ? undefined : yield* decode(found)
      },
      Effect.catchIf(isUnpaid, () => Effect.succeed("too little money" as const)),
      Effect.orDie
    )

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
