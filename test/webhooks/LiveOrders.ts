import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"

/** One offer, of which all orders here are. */
const offer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  yield* sql`
    INSERT INTO offer (id, provider, external_id, kind, mode, ip_version, name, country_code, is_available, locations,
      protocols, price_per_gb, options, listed, created_at, updated_at)
    OVERRIDING SYSTEM VALUE
    VALUES (1, 'memory', 'dc', 'datacenter', 'static', 'IPv4', 'Datacenter', 'US', true, '[]', '["HTTP"]',
      '{"USD": null, "STAR": null}', '[{"prices": {"USD": "1500000", "STAR": "100"}}]', true, ${now}, ${now})
    ON CONFLICT DO NOTHING
  `
})

/** An order with an active proxy, straight in the database; answers its id. */
export const live = Effect.fnUntraced(function* (user_id: UserId) {
  const sql = yield* SqlClient.SqlClient
  yield* offer
  const now = DateTime.toDate(yield* DateTime.now)
  const id: string = randomUUID()
  yield* sql`INSERT INTO proxy_order ${sql.insert({
    id,
    user_id,
    offer_id: 1,
    provider: "memory",
    external_id: "dc",
    status: "paid",
    proxy_status: "pending",
    proxy_type: "datacenter",
    mode: "static",
    ip_version: "IPv4",
    protocol: "HTTP",
    country: "US",
    period_days: 30,
    period_months: 1,
    tarification_index: 0,
    currency: "USD",
    total: 1n,
    total_usd: 1n,
    payment_method: "wallet",
    auto_renew: false,
    provision_at: now,
    created_at: now,
    updated_at: now
  })}`
  // As the provider's answer does; the change to `active` is no event for an endpoint that is not there yet.
  yield* sql`ALTER TABLE proxy_order DISABLE TRIGGER proxy_status_event`
  yield* sql`
    UPDATE proxy_order SET status = 'provisioned', proxy_status = 'active', provider_proxy_id = id::text,
      host = '192.0.2.1', port = 20000, username = 'user', password = 'secret', cycle_started_at = created_at,
      expiring_at = created_at + interval '27 days', expires_at = created_at + interval '30 days'
    WHERE id = ${id}
  `
  yield* sql`ALTER TABLE proxy_order ENABLE TRIGGER proxy_status_event`
  return id
})

export const setStatus = Effect.fnUntraced(function* (id: string, status: "active" | "expiring") {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE proxy_order SET proxy_status = ${status} WHERE id = ${id}`
})
