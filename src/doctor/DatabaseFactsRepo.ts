import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"

const Row = Schema.Struct({
  is_superuser: Schema.Boolean,
  /** The days until the password of the role ends. Null: it does not. */
  password_valid_days: Schema.NullOr(Schema.Finite),
  /** The settings that are off although a crash of the machine then loses committed money. */
  unsafe_settings: Schema.Array(Schema.String),
  /** The connections that the server accepts in all. */
  connections: Schema.Int,
  /** The time of the database's clock. */
  now_millis: Schema.Finite,
  /** The ports of the gateway's open proxies. */
  sold_ports: Schema.Array(Schema.Int),
  /** The connected gateways, each as its host name, a space and the address that it listens on. */
  gateways: Schema.Array(Schema.String),
  /** The exit addresses that the shop sells. */
  exits: Schema.Array(Schema.String),
  /** True when the shop is the demo. */
  is_demo: Schema.Boolean,
  /** The country and the kind, such as `DE mobile`, of the articles that are sold from the machine's own address. */
  machine_goods: Schema.Array(Schema.String),
  /** The IP versions of these articles. */
  machine_versions: Schema.Array(Schema.Literals(["IPv4", "IPv6"])),
  /** The articles that are on, but whose pool has no address for them. */
  articles_without_address: Schema.Array(Schema.String),
  /** The offers on sale for less than they cost. */
  losing_offers: Schema.Array(Schema.String),
  /** The number of offers on sale. */
  offers_on_sale: Schema.Int,
  /** The owners of the back office, also those who have not accepted the invitation, without disabled ones. */
  owners: Schema.Int,
  /** The first days of the countries with a tax rate today, such as 2027-01-01. */
  first_tax_days: Schema.Record(Schema.String, Schema.String),
  /** The day of the oldest payment without a document. */
  first_unissued_day: Schema.NullOr(Schema.String),
  /** The emails of active staff without a second factor. */
  staff_without_totp: Schema.Array(Schema.String)
})
export type DatabaseRow = typeof Row.Type

const Overdue = Schema.Struct({ what: Schema.String, count: Schema.Int })
export type Overdue = typeof Overdue.Type

/** Jobs take due work within seconds. Work that is due for longer than this shows that none runs. */
const slack = { minutes: 10 }

const taxDays = (sql: SqlClient.SqlClient) => sql`
  (
    SELECT coalesce(jsonb_object_agg(country, day), '{}') FROM (
      SELECT country, min(valid_from) AS day FROM tax_rate
      WHERE valid_from <= (clock_timestamp() AT TIME ZONE 'UTC')::date GROUP BY country
    ) f
  ) AS first_tax_days,
  (
    SELECT (min(created_at) AT TIME ZONE 'UTC')::date::text FROM payment_charge c
    WHERE NOT EXISTS (SELECT FROM invoice i WHERE i.transaction_id = c.transaction_id)
  ) AS first_unissued_day
`

/** Reads what the checks need to know about the database. */
export class DatabaseFactsRepo extends Context.Service<DatabaseFactsRepo>()("app/doctor/DatabaseFactsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const one = Rows.one(Row)
    const overdue = Rows.all(Overdue)

    return {
      row: one(sql`
        SELECT
          (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,
          (SELECT extract(epoch FROM nullif(rolvaliduntil, 'infinity') - clock_timestamp())::float8 / 86400
            FROM pg_roles WHERE rolname = current_user) AS password_valid_days,
          ARRAY(
            SELECT name FROM pg_settings
            WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name
          ) AS unsafe_settings,
          current_setting('max_connections')::int AS connections,
          (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_millis,
          ARRAY(SELECT port FROM gateway_proxy WHERE status = 'open') AS sold_ports,
          ARRAY(
            SELECT DISTINCT place FROM gateway_holder
            WHERE NOT pg_try_advisory_xact_lock_shared(hashtextextended(id::text, 0))
          ) AS gateways,
          ARRAY(SELECT host(ip) FROM exit_address WHERE state = 'on' ORDER BY ip) AS exits,
          coalesce((SELECT is_demo FROM shop_state), false) AS is_demo,
          ARRAY(
            SELECT DISTINCT a.country_code || ' ' || a.kind FROM gateway_article a JOIN exit_pool p ON p.name = a.pool
            WHERE a.state = 'on' AND p.uses_machine ORDER BY 1
          ) AS machine_goods,
          ARRAY(
            SELECT DISTINCT a.ip_version FROM gateway_article a JOIN exit_pool p ON p.name = a.pool
            WHERE a.state = 'on' AND p.uses_machine ORDER BY 1
          ) AS machine_versions,
          ARRAY(
            SELECT a.id FROM gateway_article a JOIN exit_pool p ON p.name = a.pool
            WHERE a.state = 'on' AND NOT p.uses_machine AND NOT EXISTS (
              SELECT FROM exit_address e WHERE e.pool = a.pool AND e.state = 'on'
                AND family(e.ip) = CASE a.ip_version WHEN 'IPv4' THEN 4 ELSE 6 END
            ) ORDER BY a.position
          ) AS articles_without_address,
          ARRAY(
            SELECT o.provider || ' ' || o.external_id FROM offer o
            WHERE o.listed AND EXISTS (
              SELECT FROM jsonb_array_elements(o.options || o.price_per_gb) priced
              WHERE coalesce(priced -> 'prices' ->> 'USD', priced ->> 'USD')::bigint < (priced ->> 'cost_usd')::bigint
            ) ORDER BY o.id LIMIT 20
          ) AS losing_offers,
          (SELECT count(*)::int FROM offer WHERE listed) AS offers_on_sale,
          (SELECT count(*)::int FROM staff WHERE role = 'owner' AND disabled_at IS NULL) AS owners,
          ${taxDays(sql)},
          ARRAY(
            SELECT email FROM staff
            WHERE disabled_at IS NULL AND password_hash IS NOT NULL AND totp_confirmed_at IS NULL ORDER BY email LIMIT 20
          ) AS staff_without_totp
      `),

      /** Counts the work that is due and that no job has taken. */
      overdue: (now: DateTime.Utc) => {
        const late = DateTime.toDate(DateTime.subtract(now, slack))
        return overdue(sql`
          SELECT what, count FROM (
            SELECT 'paid orders' AS what, count(*)::int AS count FROM proxy_order
            WHERE status = 'paid' AND provision_at < ${late}
            UNION ALL
            SELECT 'expired proxies', count(*)::int FROM proxy_order o
            WHERE proxy_status = 'expiring' AND expires_at < ${late}
              AND NOT EXISTS (SELECT FROM proxy_change c WHERE c.order_id = o.id AND c.status = 'pending')
            UNION ALL
            SELECT 'mails', count(*)::int FROM email_outbox WHERE next_attempt_at < ${late}
          ) work WHERE count > 0
        `)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
