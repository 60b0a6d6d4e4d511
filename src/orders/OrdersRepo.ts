import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, Effect, Layer, Predicate, Schema } from "effect"
import { SqlError, SqlSchema } from "effect/sql"
import type { StatementPart } from "../platform/postgres/Atomically.ts"
import type { Wallets } from "../wallet/Wallets.ts"
import { Order, type OrderId, OrderRow } from "./Order.ts"

const isUncharged = (error: unknown) =>
  SqlError.isSqlError(error) &&
  error.reason._tag === "ConstraintError" &&
  Predicate.hasProperty(error.reason.cause, "table") &&
  error.reason.cause.table === "provisioning_attempt" &&
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
     * Buys orders in one statement: the claim of a key when there is one, the wallet's charge, and the paid orders with
     * their first attempts. All of it happens or nothing; undefined when another request has claimed the key.
     */
    const purchase = Effect.fnUntraced(
      function* (
        orders: Arr.NonEmptyReadonlyArray<typeof Order.insert.Type>,
        charging: (when: StatementPart) => ReturnType<Wallets["Service"]["charging"]>,
        // Without a key: a row all the same.
        claiming: StatementPart = sql`SELECT`
      ) {
        const { isCharged, parts } = yield* charging(sql`EXISTS (SELECT FROM claimed)`)
        const columns = sql.csv(Object.keys(orders[0]).map((name) => sql`${sql(name)}`))
        // What is claimed and not charged begins an attempt without an order, which fails: that undoes the claim.
        const found = yield* sql`
        WITH claimed AS (${claiming}), ${parts}, inserted AS (
          INSERT INTO proxy_order (${columns})
          SELECT ${columns} FROM jsonb_populate_recordset(NULL::proxy_order, ${sql.json(yield* encode(orders))})
          WHERE ${isCharged}
          RETURNING *
        ), begun AS (
          INSERT INTO provisioning_attempt (id, order_id, provider, started_at)
          SELECT gen_random_uuid(), id, provider, created_at FROM claimed LEFT JOIN inserted ON true
        )
        SELECT * FROM inserted
      `
        return found.length === 0 ? undefined : yield* decode(found)
      },
      Effect.catchIf(isUncharged, () => Effect.succeed("too little money" as const)),
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
