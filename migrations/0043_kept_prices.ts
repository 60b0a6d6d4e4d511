import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The prices that a renewal is compared with, quoted prices of proxy changes, and the cost that a provider charged. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE proxy_order
      -- The part of the price, before its discount, that extra traffic cost: in units of currency, and in micro-dollars.
      -- Null: none, or an order that is older than these columns.
      ADD COLUMN extra_total bigint,
      ADD COLUMN extra_total_usd bigint,
      ADD CONSTRAINT proxy_order_extra CHECK (CASE num_nulls(extra_total, extra_total_usd)
        WHEN 2 THEN true
        WHEN 0 THEN extra_total > 0 AND extra_total < total + discount
          AND extra_total_usd > 0 AND extra_total_usd < total_usd + discount_usd
        ELSE false
      END)
  `
  // The last quote of each change of a proxy.
  yield* sql`
    CREATE TABLE quoted_change (
      order_id uuid NOT NULL REFERENCES proxy_order (id) ON DELETE CASCADE,
      kind text NOT NULL CHECK (kind IN ('append', 'restart', 'traffic')),
      -- Months, the position of a tariff, or GB.
      amount integer NOT NULL CHECK (amount >= 0),
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      total bigint NOT NULL CHECK (total > 0),
      total_usd bigint NOT NULL CHECK (total_usd > 0),
      -- The period and the traffic of the tariff: its position may later belong to another one. Null for other changes.
      period_days integer CHECK (period_days > 0),
      bandwidth_gb double precision CHECK (bandwidth_gb > 0),
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (order_id, kind, amount)
    )
  `
  yield* sql`CREATE INDEX quoted_change_expiry ON quoted_change (expires_at)`
  yield* sql`DROP TRIGGER proxy_change_settles_once ON proxy_change`
  yield* sql`
    CREATE TRIGGER proxy_change_settles_once BEFORE UPDATE ON proxy_change
    FOR EACH ROW WHEN (
      OLD.status <> 'pending'
      OR to_jsonb(NEW) - '{status,attempted_at,refusal,detail,cost_usd,settle_at,updated_at}'::text[]
        <> to_jsonb(OLD) - '{status,attempted_at,refusal,detail,cost_usd,settle_at,updated_at}'::text[]
    ) EXECUTE FUNCTION proxy_change_refuse()
  `
})
