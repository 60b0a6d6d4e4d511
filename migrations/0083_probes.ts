import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Tries of proxies in the background: how a proxy does now, and how it did in each hour. Single tries are not kept. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Signs the logins of tries, so that nobody needs the password of a customer for them.
  yield* sql`ALTER TABLE gateway_proxy ADD COLUMN probe_key uuid NOT NULL DEFAULT gen_random_uuid()`

  yield* sql`
    CREATE TABLE proxy_health (
      order_id uuid NOT NULL REFERENCES proxy_order (id),
      vantage text NOT NULL CHECK (vantage IN ('centre', 'self', 'peer')),
      -- The time of the next try; null: only on demand.
      probe_at timestamptz,
      -- A try on demand holds the proxy until then.
      checking_until timestamptz,
      -- The last try with an outcome, and the last that worked.
      tried_at timestamptz,
      worked_at timestamptz,
      -- The failures in a row: their number, the time of the first, the reason of the last.
      failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
      failing_since timestamptz,
      error text CHECK (length(error) BETWEEN 1 AND 40),
      -- The last failure that was at least the third in a row. It stays when the proxy works again.
      failed_at timestamptz,
      PRIMARY KEY (order_id, vantage),
      CONSTRAINT proxy_health_fails CHECK (
        (failures = 0) = (failing_since IS NULL) AND (failures = 0) = (error IS NULL)
        AND (failures < 3 OR (failed_at IS NOT NULL AND failed_at >= failing_since))
      )
    )
  `
  yield* sql`CREATE INDEX proxy_health_due ON proxy_health (vantage, probe_at) WHERE probe_at IS NOT NULL`
  yield* sql`CREATE INDEX proxy_health_failing ON proxy_health (order_id) WHERE failures >= 3`

  yield* sql`
    CREATE TABLE proxy_probe_hour (
      order_id uuid NOT NULL REFERENCES proxy_order (id),
      vantage text NOT NULL CHECK (vantage IN ('centre', 'self', 'peer')),
      hour timestamptz NOT NULL,
      probes integer NOT NULL CHECK (probes > 0),
      failures integer NOT NULL CHECK (failures BETWEEN 0 AND probes),
      -- Sums over the tries that worked.
      connect_ms bigint NOT NULL CHECK (connect_ms >= 0),
      first_byte_ms bigint NOT NULL CHECK (first_byte_ms >= 0),
      PRIMARY KEY (order_id, vantage, hour)
    )
  `
  yield* sql`CREATE INDEX proxy_probe_hour_age ON proxy_probe_hour (hour)`
})
