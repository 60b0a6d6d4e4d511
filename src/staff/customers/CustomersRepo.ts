import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Customer, FoundCustomer, HeldWallet } from "./Customer.ts"
import type { CustomerQuery } from "./CustomerQuery.ts"

const found = Rows.all(FoundCustomer)
const one = Rows.first(Customer)
const wallets = Rows.all(HeldWallet)

const methods = ["crypto_gateway", "card_gateway", "messenger_stars"]

/** Selects the accounts that a query names: rows of `user_id` and `matched_by`. */
const named = (sql: PgClient.PgClient, query: CustomerQuery) => {
  switch (query._tag) {
    case "Email":
      return sql`SELECT id AS user_id, 'email' AS matched_by FROM user_account WHERE email = ${query.email}`
    case "Id":
      return sql`
        SELECT id AS user_id, 'id' AS matched_by FROM user_account WHERE id = ${query.id}
        UNION ALL SELECT user_id, 'order' FROM proxy_order WHERE id = ${query.id}
        UNION ALL SELECT user_id, 'transaction' FROM wallet_transaction WHERE id = ${query.id}
        UNION ALL SELECT user_id, 'payment' FROM payment_intent WHERE id = ${query.id}
        UNION ALL SELECT user_id, 'restriction' FROM account_restriction WHERE id = ${query.id}
      `
    case "Charge":
      return sql`
        SELECT user_id, 'charge' AS matched_by FROM payment_charge
        WHERE payment_method = ANY (${methods}) AND charge_id = ${query.charge_id}
      `
    // A proxy of the gateway is found by its port, then by its exit or its public address.
    case "Address":
      return sql`
        SELECT o.user_id, 'address' AS matched_by FROM (
          SELECT reference, exit_ip FROM gateway_proxy WHERE status = 'open' AND port = ${query.port}
          UNION ALL SELECT reference, exit_ip FROM gateway_proxy WHERE status = 'closed' AND port = ${query.port}
        ) g JOIN proxy_order o ON o.id = g.reference
        WHERE g.exit_ip = ${query.ip}::inet OR o.host = ${query.ip}
        UNION ALL SELECT user_id, 'address' FROM proxy_order
        WHERE provider <> 'gateway' AND host = ${query.ip} AND port = ${query.port}
      `
  }
}

/** Reads customers for staff, across the tables of all folders. */
export class CustomersRepo extends Context.Service<CustomersRepo>()("app/staff/CustomersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return {
      /** Finds at most `limit` customers, the newest first. */
      find: (query: CustomerQuery, limit: number) =>
        found(sql`
          SELECT a.id, a.email, a.name, a.created_at, a.deleted_at, min(n.matched_by) AS matched_by, (
            SELECT preset FROM account_restriction r WHERE r.user_id = a.id AND r.lifted_at IS NULL
            ORDER BY blocks_access DESC, blocks_service DESC, placed_at DESC LIMIT 1
          ) AS restriction
          FROM (${named(sql, query)}) n JOIN user_account a ON a.id = n.user_id
          GROUP BY a.id ORDER BY a.created_at DESC, a.id DESC LIMIT ${limit}
        `),

      get: (id: UserId) =>
        one(sql`
          SELECT a.*, EXISTS (SELECT FROM second_factor WHERE user_id = a.id) AS has_second_factor,
            t.orders, t.live_orders,
            (SELECT count(*)::int FROM gateway_proxy g JOIN proxy_order o ON o.id = g.reference
              WHERE g.status = 'open' AND g.suspended_at IS NOT NULL AND o.user_id = a.id) AS suspended_proxies,
            (SELECT count(*)::int FROM proxy_stop s JOIN proxy_order o ON o.id = s.order_id
              WHERE s.stopped_at IS NULL AND o.user_id = a.id) AS proxies_not_stopped,
            (SELECT count(*)::int FROM api_key WHERE user_id = a.id) AS api_keys,
            (SELECT count(*)::int FROM user_session WHERE user_id = a.id) AS sessions,
            (SELECT count(*)::int FROM oauth_connection c JOIN oauth_grant g ON g.id = c.grant_id
              WHERE g.user_id = a.id AND c.revoked_at IS NULL) AS connections,
            (SELECT count(*)::int FROM webhook_endpoint WHERE user_id = a.id) AS webhook_endpoints,
            (SELECT count(*)::int FROM payment_intent WHERE user_id = a.id AND status = 'pending') AS open_payments,
            (SELECT count(*)::int FROM payment_charge c JOIN payment_intent i ON i.id = c.payment_intent_id
              WHERE i.user_id = a.id) AS charges,
            (SELECT count(*)::int FROM payment_reversal r JOIN payment_charge c USING (payment_method, charge_id)
              JOIN payment_intent i ON i.id = c.payment_intent_id WHERE i.user_id = a.id) AS reversals
          FROM user_account a CROSS JOIN LATERAL (
            SELECT coalesce(sum(orders), 0)::int AS orders,
              coalesce(sum(orders) FILTER (WHERE proxy_status IN ('active', 'expiring')), 0)::int AS live_orders
            FROM (
              SELECT orders, proxy_status FROM order_tally WHERE user_id = a.id
              UNION ALL SELECT orders, proxy_status FROM order_tally_change WHERE user_id = a.id
            ) tallies
          ) t
          WHERE a.id = ${id}
        `),

      wallets: (id: UserId) =>
        wallets(sql`
          SELECT currency, balance, sandbox_balance, purchases_stopped, spending_blocked FROM wallet
          WHERE user_id = ${id} ORDER BY currency DESC
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
