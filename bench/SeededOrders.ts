import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The contents of the table: `large` is the measured account; the other orders belong to 9,000 others. */
export interface Size {
  readonly orders: number
  readonly ofLarge: number
  /** True when the live proxies of that account have passed traffic. */
  readonly traffic: boolean
}

const chunk = 100_000

/** Accounts that own the orders of others. */
const others = 9000

const seedUsers = (sql: SqlClient.SqlClient) => sql`
  INSERT INTO user_account (id, email, email_verified, is_anonymous, referral_code, created_at, updated_at)
  SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n || '@bench.invalid', true, false, 'b' || n,
    '2024-01-01', '2024-01-01'
  FROM generate_series(1, ${others}::int) n
`

const seedOffer = (sql: SqlClient.SqlClient) => sql<{ id: number }>`
  INSERT INTO offer (provider, external_id, kind, mode, ip_version, name, country_code, is_available, locations,
    protocols, price_per_gb, options, listed, renewable, priced_at, created_at, updated_at)
  VALUES ('gateway', 'bench', 'datacenter', 'static', 'IPv4', 'Bench', 'US', false, '[]', '["HTTP"]',
    '{"USD": null, "STAR": null}', '[{"period_days": 30, "period_name": "1 month", "period_months": 1, "bandwidth_gb": null, "prices": {"USD": "1500000", "STAR": null}}]', false, false, '2024-01-01', '2024-01-01', '2024-01-01')
  RETURNING id
`

/** Two years of orders. Most have ended; recent orders and extended ones are live. */
const seedChunk = (sql: SqlClient.SqlClient, large: string, offer: number, size: Size, first: number, now: Date) => sql`
  INSERT INTO proxy_order (id, user_id, offer_id, provider, external_id, status, proxy_status, proxy_type, mode,
    ip_version, protocol, country, period_days, period_months, tarification_index, currency, total, total_usd,
    payment_method, payment_intent_id, auto_renew, provider_proxy_id, host, port, username, password,
    cycle_started_at, expiring_at, expires_at, provision_at, created_at, updated_at)
  SELECT id, owner, ${offer}::int, 'gateway', 'bench', status, proxy_status,
    (ARRAY['datacenter', 'residential', 'mobile'])[1 + floor(kind * 3)::int], 'static', 'IPv4', 'HTTP', 'US', 30, 1, 0,
    'USD', 1500000, 1500000,
    CASE WHEN status = 'waiting_payment' THEN 'crypto_gateway' ELSE 'wallet' END,
    CASE WHEN status = 'waiting_payment' THEN id END, false,
    CASE WHEN handed_out THEN id::text END, CASE WHEN handed_out THEN '127.0.0.1' END,
    CASE WHEN handed_out THEN 20000 END, CASE WHEN handed_out THEN 'user' END, CASE WHEN handed_out THEN 'secret' END,
    CASE WHEN handed_out THEN at END,
    CASE WHEN handed_out THEN greatest(at, ends - interval '3 days') END, CASE WHEN handed_out THEN ends END, at, at, at
  FROM (
    SELECT *, status IN ('provisioned', 'expired') AS handed_out,
      CASE WHEN status = 'provisioned' AND proxy_status = 'active' THEN ${now}::timestamptz + interval '15 days'
        WHEN status = 'provisioned' THEN ${now}::timestamptz + interval '1 day'
        ELSE at + interval '30 days' END AS ends
    FROM (
      SELECT *, CASE
          WHEN luck < 0.005 THEN 'refunded' WHEN luck < 0.01 THEN 'provisioning_failed' WHEN luck < 0.06 THEN 'cancelled'
          WHEN age < 0.0001 THEN 'paid' WHEN age < 0.0002 THEN 'new' WHEN age < 0.002 THEN 'waiting_payment'
          WHEN age < 0.04 OR luck > 0.93 THEN 'provisioned' ELSE 'expired' END AS status,
        CASE
          WHEN luck < 0.005 THEN 'cancelled' WHEN luck < 0.01 THEN 'pending' WHEN luck < 0.06 THEN 'cancelled'
          WHEN age < 0.002 THEN 'pending'
          WHEN age < 0.04 OR luck > 0.93 THEN CASE WHEN luck > 0.98 THEN 'expiring' ELSE 'active' END
          ELSE 'expired' END AS proxy_status
      FROM (
        SELECT CASE WHEN n % (${size.orders}::int / ${size.ofLarge}::int) = 0 THEN ${large}::uuid
            ELSE ('00000000-0000-7000-8000-' || lpad(to_hex(1 + n % ${others}::int), 12, '0'))::uuid END AS owner,
          1 - n::float8 / ${size.orders}::int AS age, random() AS luck, random() AS kind,
          ${now}::timestamptz - (${size.orders}::int - n) * interval '1 second' * (63072000.0 / ${size.orders}::int) AS at,
          gen_random_uuid() AS id
        FROM generate_series(${first}::int, ${Math.min(first + chunk - 1, size.orders)}::int) n
      ) drawn
    ) fated
  ) made
`

/**
 * Each live proxy of the account passes traffic in every hour and had passed more a month ago, all in one cycle. The
 * table has the hours of the last three days and the daily sums of the last thirty: no period reads older rows. The
 * sums equal those of the triggers, which are off meanwhile.
 */
const seedTraffic = (sql: SqlClient.SqlClient, large: string, now: Date) =>
  Effect.all([
    sql`
      INSERT INTO gateway_usage (proxy_id, hour, cycle, bytes)
      SELECT id, date_trunc('hour', ${now}::timestamptz, 'UTC') - h * interval '1 hour', 1, 1000000
      FROM generate_series(71, 0, -1) h, proxy_order WHERE user_id = ${large} AND status = 'provisioned'
    `,
    sql`
      INSERT INTO gateway_usage_day (proxy_id, day, cycle, bytes)
      SELECT id, date_trunc('day', ${now}::timestamptz, 'UTC') - d * interval '1 day', 1, 24000000
      FROM generate_series(29, 0, -1) d, proxy_order WHERE user_id = ${large} AND status = 'provisioned'
    `,
    sql`
      INSERT INTO gateway_cycle (proxy_id, cycle, bytes)
      SELECT id, 1, 365 * 24000000::bigint FROM proxy_order WHERE user_id = ${large} AND status = 'provisioned'
    `
  ])

/**
 * Fills the tables as years of use would. Foreign keys are off, so that it takes a minute instead of ten; the tallies
 * are noted as always. `seed` determines the values of `random()` within one connection.
 */
export const seedOrders = (large: string, size: Size, seed: number, now: Date) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`SET session_replication_role = replica`
    yield* sql`ALTER TABLE proxy_order ENABLE ALWAYS TRIGGER order_tally_insert`
    yield* sql`SELECT setseed(${seed}::float8)`
    yield* seedUsers(sql)
    const [offer] = yield* seedOffer(sql)
    for (let first = 1; first <= size.orders; first += chunk)
      yield* seedChunk(sql, large, offer?.id ?? 0, size, first, now)
    if (size.traffic) yield* seedTraffic(sql, large, now)
    yield* sql`ALTER TABLE proxy_order ENABLE TRIGGER order_tally_insert`
    yield* sql`SET session_replication_role = origin`
    yield* sql`VACUUM (ANALYZE)`
  })
