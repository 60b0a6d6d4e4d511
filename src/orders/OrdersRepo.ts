import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, Effect, Layer, Option, Schema } from "effect"
import { Claim } from "../idempotency/Claim.ts"
import type { ClaimingParts } from "../idempotency/Idempotency.ts"
import type { StatementPart } from "../platform/postgres/Atomically.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import type { ChargingParts } from "../wallet/Wallets.ts"
import { Order, type OrderId, OrderRow, type PlacedOrder } from "./Order.ts"
import { OrderDetailsRow } from "./OrderView.ts"

type NewOrders = Arr.NonEmptyReadonlyArray<PlacedOrder>

/** The outcome of `purchase`. */
type Outcome =
  | { readonly _tag: "Bought" }
  /** The claim is none when another request has made it while the statement ran. */
  | { readonly _tag: "Claimed"; readonly claim: Option.Option<Claim> }
  | { readonly _tag: "Insolvent" }

const Purchased = Schema.Struct({ is_bought: Schema.Boolean, is_solvent: Schema.Boolean, is_claimed: Schema.Boolean })

const readOne = Rows.first(OrderRow)
const readDetails = Rows.first(OrderDetailsRow, Rows.unchecked)
const readAll = Rows.all(OrderRow)
const decodePurchased = Schema.decodeUnknownEffect(Purchased)
const decodeClaim = Schema.decodeUnknownEffect(Claim)

/** An order as JSON for `jsonb_populate_recordset`. Times become text on their own. */
const recordOf = ({ cost_usd, discount, discount_usd, total, total_usd, ...order }: PlacedOrder) => ({
  ...order,
  cost_usd: cost_usd === null ? null : String(cost_usd),
  discount: String(discount),
  discount_usd: String(discount_usd),
  total: String(total),
  total_usd: String(total_usd)
})

export class OrdersRepo extends Context.Service<OrdersRepo>()("app/orders/OrdersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const columns = sql.literal(Rows.columnsOf(Order.insert))
    const details = sql.literal(Rows.columnsOf(OrderDetailsRow))

    /** The parts `inserted` and `begun`: orders, and the first attempt of each paid one to provision it. */
    const inserting = (orders: NewOrders, when: StatementPart = sql`true`) => sql`
      inserted AS (
        INSERT INTO proxy_order (${columns})
        SELECT ${columns} FROM jsonb_populate_recordset(NULL::proxy_order, ${sql.json(orders.map(recordOf))})
        WHERE ${when}
        RETURNING id, provider, status, created_at
      ), begun AS (
        INSERT INTO provisioning_attempt (id, order_id, provider, started_at)
        SELECT gen_random_uuid(), id, provider, created_at FROM inserted WHERE status = 'paid'
      )
    `

    return {
      /** True inside the statement of `purchase` when no earlier request has claimed the key. */
      isNew: sql`NOT EXISTS (SELECT FROM earlier)`,
      /** True inside the statement of `purchase` when this request has claimed its key, or has none. */
      isClaimed: sql`EXISTS (SELECT FROM claimed)`,

      /**
       * Buys orders in one statement: the lock of a wallet that can pay, the claim of an idempotency key when there is
       * one, the charge, and the paid orders with their first attempts. All of it happens or nothing.
       */
      purchase: Effect.fnUntraced(function* (
        orders: NewOrders,
        { charged, isCharged, isSolvent, locked }: ChargingParts,
        { claimed, earlier }: ClaimingParts
      ): Effect.fn.Return<Outcome, unknown> {
        const [row] = yield* sql`
          WITH earlier AS (${earlier}), ${locked}, claimed AS (${claimed(isSolvent)}), ${charged},
            ${inserting(orders, isCharged)}
          SELECT EXISTS (SELECT FROM inserted) AS is_bought, ${isSolvent} AS is_solvent,
            earlier.request_hash IS NOT NULL AS is_claimed, earlier.*
          FROM (SELECT) AS purchase LEFT JOIN earlier ON true
        `
        const { is_bought, is_claimed, is_solvent } = yield* decodePurchased(row)
        if (is_bought) return { _tag: "Bought" }
        if (is_claimed) return { _tag: "Claimed", claim: Option.some(yield* decodeClaim(row)) }
        return is_solvent ? { _tag: "Claimed", claim: Option.none() } : { _tag: "Insolvent" }
      }, Effect.orDie),

      /** Inserts orders. A paid order gets its first attempt to provision in the same statement. */
      insert: (orders: NewOrders) => Effect.orDie(sql`WITH ${inserting(orders)} SELECT id FROM inserted`),

      find: (id: OrderId) => readOne(sql`SELECT * FROM proxy_order WHERE id = ${id}`),

      findDetails: (id: OrderId) => readDetails(sql`SELECT ${details} FROM proxy_order WHERE id = ${id}`),

      findMany: (ids: ReadonlyArray<OrderId>) =>
        readAll(sql`SELECT * FROM proxy_order WHERE ${sql.in("id", ids)} ORDER BY id`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
