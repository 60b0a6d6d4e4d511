import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    ALTER TABLE proxy_order
      -- Until then one operation has the proxy for itself.
      ADD COLUMN operation_until timestamptz,
      -- When auto-renew tries next, while the proxy is expiring.
      ADD COLUMN renew_at timestamptz,
      -- When the owner was told that the running cycle could not be renewed.
      ADD COLUMN renewal_failed_at timestamptz,
      -- When the provider is asked next how the proxy is.
      ADD COLUMN sync_at timestamptz,
      ADD COLUMN rotated_at timestamptz,
      ADD COLUMN tags text[] NOT NULL DEFAULT '{}' CHECK (cardinality(tags) <= 50 AND array_position(tags, NULL) IS NULL),
      ADD COLUMN promo_code_id uuid,
      -- Units of currency and micro-dollars that the promo code took off; the totals are what was left.
      ADD COLUMN discount bigint NOT NULL DEFAULT 0 CHECK (discount >= 0),
      ADD COLUMN discount_usd bigint NOT NULL DEFAULT 0 CHECK (discount_usd >= 0)
  `
  yield* sql`
    CREATE INDEX proxy_order_to_renew ON proxy_order (renew_at) WHERE proxy_status = 'expiring' AND auto_renew
  `
  yield* sql`
    CREATE INDEX proxy_order_to_sync ON proxy_order (provider, sync_at) WHERE proxy_status IN ('active', 'expiring')
  `
  yield* sql`UPDATE proxy_order SET sync_at = updated_at WHERE proxy_status IN ('active', 'expiring')`

  // A billed change of a proxy, written in the transaction that charges it. While it is pending the provider may or
  // may not have made it: it is looked up, never repeated blindly. A proxy has at most one of those.
  yield* sql`
    CREATE TABLE proxy_change (
      id uuid PRIMARY KEY,
      order_id uuid NOT NULL REFERENCES proxy_order (id),
      kind text NOT NULL CHECK (kind IN ('append', 'restart', 'traffic')),
      origin text NOT NULL CHECK (origin IN ('request', 'auto_renew')),
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      total bigint NOT NULL CHECK (total > 0),
      total_usd bigint NOT NULL CHECK (total_usd > 0),
      period_days integer NOT NULL CHECK (period_days >= 0),
      period_months integer NOT NULL CHECK (period_months >= 0),
      tarification_index integer CHECK (tarification_index >= 0),
      added_gb double precision CHECK (added_gb > 0),
      previous_expires_at timestamptz NOT NULL,
      previous_bandwidth_gb double precision,
      expires_at timestamptz NOT NULL,
      bandwidth_gb double precision CHECK (bandwidth_gb > 0),
      status text NOT NULL CHECK (status IN ('pending', 'applied', 'refused')),
      -- When the provider was asked; null: it certainly has done nothing.
      attempted_at timestamptz,
      -- Why it was refused.
      detail text,
      -- When a pending change may be taken up by whoever finds it.
      settle_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CHECK ((kind = 'traffic') = (added_gb IS NOT NULL)),
      CHECK ((kind = 'restart') = (tarification_index IS NOT NULL)),
      CHECK (kind <> 'append' OR expires_at > previous_expires_at),
      CHECK (kind <> 'traffic' OR (expires_at = previous_expires_at AND bandwidth_gb > previous_bandwidth_gb)),
      CHECK (status <> 'refused' OR detail IS NOT NULL)
    )
  `
  yield* sql`CREATE UNIQUE INDEX proxy_change_pending ON proxy_change (order_id) WHERE status = 'pending'`
  // A renewal is billed once a period.
  yield* sql`
    CREATE UNIQUE INDEX proxy_change_renewal ON proxy_change (order_id, previous_expires_at)
    WHERE origin = 'auto_renew' AND status <> 'refused'
  `
  yield* sql`CREATE INDEX proxy_change_of_order ON proxy_change (order_id, created_at)`
  yield* sql`CREATE INDEX proxy_change_to_settle ON proxy_change (settle_at) WHERE status = 'pending'`
  yield* sql`
    CREATE FUNCTION proxy_change_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a settled change of a proxy does not change' USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE FUNCTION proxy_order_settle_first() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM proxy_change WHERE order_id = NEW.id AND status = 'pending') THEN
        RAISE EXCEPTION 'a change of the proxy is under way' USING ERRCODE = 'restrict_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_order_settle_first AFTER UPDATE OF proxy_status ON proxy_order
    FOR EACH ROW WHEN (NEW.proxy_status = 'expired') EXECUTE FUNCTION proxy_order_settle_first()
  `
  yield* sql`
    CREATE TRIGGER proxy_change_settles_once BEFORE UPDATE ON proxy_change
    FOR EACH ROW WHEN (
      OLD.status <> 'pending'
      OR (NEW.id, NEW.order_id, NEW.kind, NEW.origin, NEW.currency, NEW.total, NEW.total_usd, NEW.previous_expires_at)
        IS DISTINCT FROM
        (OLD.id, OLD.order_id, OLD.kind, OLD.origin, OLD.currency, OLD.total, OLD.total_usd, OLD.previous_expires_at)
    ) EXECUTE FUNCTION proxy_change_refuse()
  `
})
