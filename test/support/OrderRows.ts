import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../src/accounts/User.ts"

const insertOffer = Effect.fnUntraced(function* (hasShop: boolean) {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  const columns = sql.literal(hasShop ? ", renewable, priced_at" : "")
  const values = hasShop ? sql`, true, ${now}::timestamptz` : sql.literal("")
  yield* sql`
    INSERT INTO offer (id, provider, external_id, kind, mode, ip_version, name, country_code, is_available, locations,
      protocols, price_per_gb, options, listed, created_at, updated_at ${columns})
    OVERRIDING SYSTEM VALUE
    VALUES (1, 'memory', 'dc', 'datacenter', 'static', 'IPv4', 'Datacenter', 'US', true, '[]', '["HTTP"]',
      '{"USD": null, "STAR": null}', '[{"prices": {"USD": "1500000", "STAR": "100"}}]', true, ${now}, ${now} ${values})
    ON CONFLICT DO NOTHING
  `
})

/** Inserts offer number 1: 1.50 USD or 100 stars a month. */
export const offer = insertOffer(true)

/** The same in a database from before the shop (0040). */
export const offerBeforeShop = insertOffer(false)

/** An order of that offer for a month, paid at that moment. */
export const paidOrder = (id: string, user_id: UserId, at: DateTime.Utc) => ({
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
  total: 1_500_000n,
  total_usd: 1_500_000n,
  payment_method: "wallet",
  auto_renew: false,
  provision_at: DateTime.toDate(at),
  created_at: DateTime.toDate(at),
  updated_at: DateTime.toDate(at)
})

/** The fields that a provider's answer adds to an order. */
export const handedOut = `status = 'provisioned', proxy_status = 'active', provider_proxy_id = id::text,
  host = '192.0.2.1', port = 20000, username = 'user', password = 'secret', cycle_started_at = created_at,
  expiring_at = created_at + interval '27 days', expires_at = created_at + interval '30 days'`
