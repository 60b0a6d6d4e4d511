import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Distinguishes the ids of one kind from those of the others. */
const digits = { healthy: "1", silent: "2", flaky: "3" }

/** Receivers of one kind: accounts with an endpoint each, and their active proxies. */
export interface Group {
  readonly kind: keyof typeof digits
  readonly endpoints: number
  readonly ordersEach: number
  /** Finished deliveries of the last 30 days, of each endpoint. */
  readonly deliveredEach: number
  /** Endpoint n uses the nth of these, in a circle. */
  readonly urls: ReadonlyArray<string>
}

const suffix = (n: number) => n.toString(16).padStart(12, "0")

/** The orders of a group: neighbours belong to different accounts. */
export const orderIds = ({ endpoints, kind, ordersEach }: Group): ReadonlyArray<string> =>
  Array.from({ length: endpoints * ordersEach }, (_, n) => `00000000-0000-7000-9${digits[kind]}00-${suffix(n)}`)

/** The same ids in the database, and those of accounts, endpoints and past deliveries. */
const idOf = (sql: SqlClient.SqlClient, of: "account" | "endpoint" | "order" | "history", { kind }: Group) => {
  const group = `00000000-0000-7000-${{ account: "a", endpoint: "8", order: "9", history: "b" }[of]}${digits[kind]}00-`
  return (n: string) => sql`(${group}::text || lpad(to_hex(${sql.literal(n)}), 12, '0'))::uuid`
}

export const endpointsOf = (sql: SqlClient.SqlClient, { kind }: Group) =>
  sql`endpoint_id::text LIKE ${`00000000-0000-7000-8${digits[kind]}00-%`}`

const seedGroup = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, offer: number, group: Group, now: Date) {
  const account = idOf(sql, "account", group)
  const numbers = sql`generate_series(0, ${group.endpoints - 1}::int) n`
  yield* sql`
    INSERT INTO user_account (id, email, email_verified, is_anonymous, referral_code, created_at, updated_at)
    SELECT ${account("n")}, ${group.kind}::text || n || '@bench.invalid', true, false, ${group.kind}::text || '-' || n,
      ${now}, ${now}
    FROM ${numbers}
  `
  yield* sql`
    INSERT INTO webhook_endpoint (id, user_id, event_type, url, enabled, signing_secret, secret_preview, created_at,
      updated_at)
    SELECT ${idOf(sql, "endpoint", group)("n")}, ${account("n")}, 'proxy.status_changed',
      (${group.urls}::text[])[1 + n % ${group.urls.length}::int], true, 'whsec_' || repeat('5eed', 16),
      'whsec_5eed5e...ed5eed', ${now}, ${now}
    FROM ${numbers}
  `
  yield* sql`
    INSERT INTO proxy_order (id, user_id, offer_id, provider, external_id, status, proxy_status, proxy_type, mode,
      ip_version, protocol, country, period_days, period_months, tarification_index, currency, total, total_usd,
      payment_method, auto_renew, provider_proxy_id, host, port, username, password, cycle_started_at, expiring_at,
      expires_at, provision_at, created_at, updated_at)
    SELECT id, owner, ${offer}::int, 'gateway', 'bench', 'provisioned', 'active', 'datacenter', 'static', 'IPv4',
      'HTTP', 'US', 30, 1, 0, 'USD', 1500000, 1500000, 'wallet', false, id::text, '192.0.2.1', 20000, 'user', 'secret',
      ${now}, ${now}::timestamptz + interval '27 days', ${now}::timestamptz + interval '30 days', ${now}, ${now}, ${now}
    FROM (
      SELECT ${idOf(sql, "order", group)("n")} AS id, ${account(`n % ${group.endpoints}`)} AS owner
      FROM generate_series(0, ${group.endpoints * group.ordersEach - 1}::int) n
    ) made
  `
})

/** Deliveries that succeeded long ago, at the first attempt. */
const seedHistory = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, group: Group, now: Date) {
  const past = sql`
    SELECT ${idOf(sql, "history", group)("n")} AS id, ${idOf(sql, "account", group)(`n % ${group.endpoints}`)} AS account,
      ${idOf(sql, "endpoint", group)(`n % ${group.endpoints}`)} AS endpoint,
      ${idOf(sql, "order", group)(`n % ${group.endpoints * group.ordersEach}`)} AS proxy,
      ${now}::timestamptz - interval '30 days' * (n::float8 / ${group.endpoints * group.deliveredEach}::int) AS at
    FROM generate_series(1, ${group.endpoints * group.deliveredEach}::int) n
  `
  yield* sql`
    INSERT INTO webhook_event (id, user_id, order_id, is_test, change_source, host, port, protocol, status,
      previous_status, expires_at, occurred_at)
    SELECT id, account, proxy, false, 'status_changed', '192.0.2.1', 20000, 'HTTP', 'expiring', 'active', at, at
    FROM (${past}) past
  `
  yield* sql`
    INSERT INTO webhook_delivery (id, endpoint_id, event_id, status, attempt, created_at, finished_at)
    SELECT id, endpoint, id, 'delivered', 1, at, at FROM (${past}) past
  `
  yield* sql`
    INSERT INTO webhook_attempt (delivery_id, attempt, started_at, duration_ms, status_code)
    SELECT id, 1, at, 50, 204 FROM (${past}) past
  `
})

/** Fills the tables with accounts that have an endpoint and active proxies, and with earlier deliveries. */
export const seedWebhooks = Effect.fnUntraced(function* (groups: ReadonlyArray<Group>, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const [offer] = yield* sql<{ id: number }>`
    INSERT INTO offer (provider, external_id, kind, mode, ip_version, name, country_code, is_available, locations,
      protocols, price_per_gb, options, listed, renewable, priced_at, created_at, updated_at)
    VALUES ('gateway', 'bench', 'datacenter', 'static', 'IPv4', 'Bench', 'US', false, '[]', '["HTTP"]',
      '{"USD": null, "STAR": null}', '[{"period_days": 30, "period_name": "1 month", "period_months": 1, "bandwidth_gb": null, "prices": {"USD": "1500000", "STAR": null}}]', false, false, ${now}, ${now}, ${now})
    RETURNING id
  `
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // New orders begin as waiting or paid; these already have a history.
      yield* sql`SET LOCAL session_replication_role = replica`
      for (const group of groups) {
        yield* seedGroup(sql, offer?.id ?? 0, group, now)
        yield* seedHistory(sql, group, now)
      }
    })
  )
  yield* sql`VACUUM (ANALYZE)`
})
