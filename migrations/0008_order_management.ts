import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    ALTER TABLE proxy_order
      -- Until then one operation has exclusive use of the proxy.
      ADD COLUMN operation_until timestamptz,
      -- The time of the next try of auto-renew, while the proxy is expiring.
      ADD COLUMN renew_at timestamptz,
      -- The time when the owner was told that the running cycle could not be renewed.
      ADD COLUMN renewal_failed_at timestamptz,
      -- The time of the next question to the provider about the proxy.
      ADD COLUMN sync_at timestamptz,
      -- The time since which the provider has not known the proxy.
      ADD COLUMN missing_since timestamptz,
      ADD COLUMN rotated_at timestamptz,
      ADD COLUMN tags text[] NOT NULL DEFAULT '{}' CHECK (cardinality(tags) <= 50 AND array_position(tags, NULL) IS NULL),
      ADD COLUMN promo_code_id uuid,
      -- The discount of the promo code in units of the currency and micro-dollars; the totals are the rest.
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

  // A billed change of a proxy, inserted in the transaction that charges for it. While it is pending and was attempted,
  // the provider may have made it: the service looks it up before it repeats it. A proxy has at most one pending change.
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
      -- Start of the last call of the provider; null while the provider has certainly done nothing.
      attempted_at timestamptz,
      -- The kind of a refusal, and its reason for the operator.
      refusal text CHECK (refusal IN ('provider_refused', 'provider_down')),
      detail text,
      -- From then on the job ProxyChangeRecovery may claim the pending change.
      settle_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CHECK ((kind = 'traffic') = (added_gb IS NOT NULL)),
      CHECK ((kind = 'restart') = (tarification_index IS NOT NULL)),
      CHECK (kind <> 'append' OR expires_at > previous_expires_at),
      CHECK (kind <> 'traffic' OR (expires_at = previous_expires_at AND bandwidth_gb > previous_bandwidth_gb)),
      CHECK (num_nonnulls(refusal, detail) = CASE status WHEN 'refused' THEN 2 ELSE 0 END),
      CHECK (status <> 'applied' OR attempted_at IS NOT NULL)
    )
  `
  yield* sql`CREATE UNIQUE INDEX proxy_change_pending ON proxy_change (order_id) WHERE status = 'pending'`
  // Each period is billed to auto-renew once.
  yield* sql`
    CREATE UNIQUE INDEX proxy_change_renewal ON proxy_change (order_id, previous_expires_at)
    WHERE origin = 'auto_renew' AND status <> 'refused'
  `
  yield* sql`CREATE INDEX proxy_change_of_order ON proxy_change (order_id, created_at)`
  yield* sql`CREATE INDEX proxy_change_to_settle ON proxy_change (settle_at) WHERE status = 'pending'`
  yield* sql`
    CREATE FUNCTION proxy_change_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'what was bought for a proxy, and what became of it, does not change'
        USING ERRCODE = 'restrict_violation';
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
    FOR EACH ROW WHEN (NEW.proxy_status IN ('expired', 'cancelled')) EXECUTE FUNCTION proxy_order_settle_first()
  `
  yield* sql`
    CREATE TRIGGER proxy_change_settles_once BEFORE UPDATE ON proxy_change
    FOR EACH ROW WHEN (
      OLD.status <> 'pending'
      OR to_jsonb(NEW) - '{status,attempted_at,refusal,detail,settle_at,updated_at}'::text[]
        <> to_jsonb(OLD) - '{status,attempted_at,refusal,detail,settle_at,updated_at}'::text[]
    ) EXECUTE FUNCTION proxy_change_refuse()
  `
  yield* sql`
    CREATE TRIGGER proxy_change_keep BEFORE DELETE OR TRUNCATE ON proxy_change
    FOR EACH STATEMENT EXECUTE FUNCTION proxy_change_refuse()
  `
  yield* booked
})

const booked = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // At the commit every change has its payment, and every refused change, and no other, its refund.
  yield* sql`
    CREATE FUNCTION proxy_change_check_booked() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      checked uuid;
    BEGIN
      IF TG_TABLE_NAME = 'proxy_change' THEN
        checked := NEW.id;
      ELSE
        SELECT substr(reference, length('change:') + 1)::uuid INTO checked FROM wallet_transaction
        WHERE id = NEW.refunded_transaction_id AND reference LIKE 'change:%';
      END IF;
      IF EXISTS (
        SELECT FROM proxy_change c LEFT JOIN wallet_transaction p
          ON p.transaction_type = 'payment' AND p.reference = 'change:' || c.id AND p.status = 'completed'
          AND (p.order_id, p.currency, p.amount, p.amount_usd) = (c.order_id, c.currency, -c.total, c.total_usd)
        WHERE c.id = checked AND (
          p.id IS NULL
          OR (c.status = 'refused') <> EXISTS (SELECT FROM wallet_transaction WHERE refunded_transaction_id = p.id)
        )
      ) THEN
        RAISE EXCEPTION 'a change of a proxy is paid for, or refused and refunded'
          USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER proxy_change_booked AFTER INSERT OR UPDATE OF status ON proxy_change
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION proxy_change_check_booked()
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER wallet_transaction_of_change AFTER INSERT ON wallet_transaction
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.transaction_type = 'refund')
    EXECUTE FUNCTION proxy_change_check_booked()
  `
})
