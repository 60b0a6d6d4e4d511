import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { OrderId } from "../../orders/Order.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { CustomerQuery } from "../customers/CustomerQuery.ts"
import type { Keyset } from "../Keyset.ts"
import { FoundOrder } from "./FoundOrder.ts"
import { StaffOrder } from "./StaffOrder.ts"

type Sql = PgClient.PgClient

const methods = ["crypto_gateway", "card_gateway", "messenger_stars"]

/** Selects the ids of the orders that a query names. Each part reads an index. */
const named = (sql: Sql, query: CustomerQuery) => {
  switch (query._tag) {
    case "Email":
      return sql`SELECT o.id FROM user_account a JOIN proxy_order o ON o.user_id = a.id WHERE a.email = ${query.email}`
    case "Id":
      return sql`
        SELECT id FROM proxy_order WHERE id = ${query.id}
        UNION SELECT id FROM proxy_order WHERE user_id = ${query.id}
        UNION SELECT id FROM proxy_order WHERE payment_intent_id = ${query.id}
        UNION SELECT order_id FROM wallet_transaction WHERE id = ${query.id} AND order_id IS NOT NULL
        UNION SELECT order_id FROM proxy_change WHERE id = ${query.id}
      `
    case "Charge":
      return sql`
        SELECT o.id FROM payment_charge c JOIN proxy_order o ON o.payment_intent_id = c.payment_intent_id
        WHERE c.payment_method = ANY (${methods}) AND c.charge_id = ${query.charge_id}
        UNION SELECT o.id FROM (SELECT DISTINCT provider FROM offer) p
          JOIN proxy_order o ON o.provider = p.provider AND o.provider_proxy_id = ${query.charge_id}
      `
    case "Address":
      return sql`
        SELECT o.id FROM (
          SELECT reference, exit_ip FROM gateway_proxy WHERE status = 'open' AND port = ${query.port}
          UNION ALL SELECT reference, exit_ip FROM gateway_proxy WHERE status = 'closed' AND port = ${query.port}
        ) g JOIN proxy_order o ON o.id = g.reference
        WHERE g.exit_ip = ${query.ip}::inet OR o.host = ${query.ip}
        UNION SELECT id FROM proxy_order WHERE provider <> 'gateway' AND host = ${query.ip} AND port = ${query.port}
      `
  }
}

/** Orders with their customers. */
export class StaffOrdersRepo extends Context.Service<StaffOrdersRepo>()("app/staff/StaffOrdersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [one, many] = [Rows.first(StaffOrder), Rows.all(FoundOrder)]

    return {
      find: (id: OrderId) =>
        one(sql`
          SELECT o.*, a.email, f.name AS offer_name, p.code AS promo_code
          FROM proxy_order o JOIN user_account a ON a.id = o.user_id
            LEFT JOIN offer f ON f.id = o.offer_id LEFT JOIN promo_code p ON p.id = o.promo_code_id
          WHERE o.id = ${id}
        `),

      /** Orders that a query names, or all, the newest first. */
      list: (query: CustomerQuery | undefined, { after, limit }: Keyset) =>
        many(sql`
          SELECT o.*, a.email FROM proxy_order o JOIN user_account a ON a.id = o.user_id
          WHERE ${query === undefined ? sql`true` : sql`o.id IN (${named(sql, query)})`}
            AND ${after === undefined ? sql`true` : sql`o.id < ${after}::uuid`}
          ORDER BY o.id DESC LIMIT ${limit}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
