import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, Effect, Layer, Predicate, Schema } from "effect"
import { SqlError, SqlSchema } from "effect/sql"
import type { StatementPart } from "../platform/postgres/Atomically.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { Order, type OrderId, OrderRow } from "./Order.ts"

/** The wallet's parts of a purchase: they debit the wallet, and `isCharged` is true where the money was enough. */
interface ChargingParts {
  readonly parts: StatementPart
  readonly isCharged: StatementPart
}

type NewOrders = Arr.NonEmptyReadonlyArray<typeof Order.insert.Type>

const readOne = Rows.first(OrderRow)
const readAll = Rows.all(OrderRow)
// Not with `Rows`, which turns every failure into a defect: `purchase` handles one of them.
const decode = Schema.decodeUnknownEffect(Schema.NonEmptyArray(OrderRow))
const encode = Schema.encodeEffect(Schema.toCodecJson(Schema.NonEmptyArray(Order.insert)))

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
      /** True inside the statement of `purchase` when it has claimed its key. */
      isClaimed: sql`EXISTS (SELECT FROM claimed)`,

      /**
       * Buys orders in one statement: the claim of an idempotency key when there is one, the charge of the wallet, and
       * the paid orders with their first attempts. All of it happens or nothing. Returns undefined when another request
       * has claimed the key.
       */
      purchase: Effect.fnUntraced(
        function* (orders: NewOrders, { isCharged, parts }: ChargingParts, claiming: StatementPart = sql`SELECT`) {
          const columns = sql.csv(Object.keys(orders[0]).map((name) => sql`${sql(name)}`))
          // A claim without a charge inserts an attempt without an order. A constraint refuses it and undoes the claim.
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
      ),

      /** Inserts orders. A paid order gets its first attempt to provision in the same statement. */
      insert: (orders: NewOrders) => Effect.orDie(insert(orders)),

      find: (id: OrderId) => readOne(sql`SELECT * FROM proxy_order WHERE id = ${id}`),

      findMany: (ids: ReadonlyArray<OrderId>) =>
        readAll(sql`SELECT * FROM proxy_order WHERE ${sql.in("id", ids)} ORDER BY id`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
