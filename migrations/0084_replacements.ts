import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Replacements of failing proxies by the warranty. They are proxy changes that nobody pays for, like those of staff, but a
 * customer or the service begins them.
 */
export default Effect.gen(function* () {
  yield* changes
  yield* booked
  yield* costs
  yield* events
})

const changes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE proxy_change
      DROP CONSTRAINT proxy_change_origin,
      DROP CONSTRAINT proxy_change_priced,
      DROP CONSTRAINT proxy_change_given,
      DROP CONSTRAINT proxy_change_actor,
      ADD CONSTRAINT proxy_change_origin CHECK (origin IN ('request', 'auto_renew', 'staff', 'warranty')),
      ADD CONSTRAINT proxy_change_priced CHECK (
        CASE WHEN origin IN ('staff', 'warranty') THEN total = 0 AND total_usd = 0 ELSE total > 0 AND total_usd > 0 END
      ),
      ADD CONSTRAINT proxy_change_given CHECK (
        CASE origin
          WHEN 'staff' THEN num_nulls(given_by, given_by_id, given_reason, given_value_usd) = 0
            AND kind IN ('append', 'replace')
            AND expires_at <= previous_expires_at + interval '32 days'
          -- The reason is that of the terms of the warranty.
          WHEN 'warranty' THEN num_nonnulls(given_by, given_by_id, given_value_usd) = 0 AND kind = 'replace'
            AND given_reason IS NOT NULL AND given_reason IN ('failing', 'first_day')
          ELSE num_nonnulls(given_by, given_by_id, given_reason, given_value_usd) = 0 AND kind <> 'replace'
        END
      ),
      ADD CONSTRAINT proxy_change_actor CHECK (
        CASE actor
          WHEN 'session' THEN actor_id IS NULL AND origin IN ('request', 'warranty')
          WHEN 'api_key' THEN actor_id IS NOT NULL AND origin IN ('request', 'warranty')
          WHEN 'oauth' THEN actor_id IS NOT NULL AND origin IN ('request', 'warranty')
          WHEN 'service' THEN actor_id IS NULL AND origin IN ('auto_renew', 'staff', 'warranty')
          ELSE actor IS NULL AND actor_id IS NULL
        END
      )
  `
})

/** A replacement by the warranty has no payment. */
const booked = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE OR REPLACE FUNCTION proxy_change_check_booked() RETURNS trigger LANGUAGE plpgsql AS $$
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
        WHERE c.id = checked AND c.origin NOT IN ('staff', 'warranty') AND (
          p.id IS NULL OR (c.status = 'refused') <> EXISTS (
            SELECT FROM wallet_transaction WHERE refunded_transaction_id = p.id AND cause IS NULL
          )
        )
      ) THEN
        RAISE EXCEPTION 'a change of a proxy is paid for, or refused and refunded'
          USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
})

/** The price of a vendor for a replacement is a cost like that of given time. */
const costs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ terms: string; records: string }>`
    SELECT pg_get_functiondef('revenue_term_of_change'::regproc) AS terms, pg_get_viewdef('money_record'::regclass) AS records
  `
  const both = "= ANY (ARRAY['staff'::text, 'warranty'::text])"
  const terms = found?.terms.replace("NEW.origin = 'staff'", `NEW.origin ${both}`)
  const records = found?.records.replace("c.origin = 'staff'::text", `c.origin ${both}`)
  if (terms === undefined || terms === found?.terms || records === undefined || records === found?.records)
    return yield* Effect.die(new Error("The costs of gifts are not where this migration looks for them"))
  yield* sql`${sql.literal(terms)}`
  yield* sql`CREATE OR REPLACE VIEW money_record AS ${sql.literal(records)}`
})

/**
 * The account's enabled endpoint gets an event of each replacement, by the warranty or by staff. It is recorded at the commit,
 * when the order has the access of afterwards.
 */
const events = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION proxy_replaced_event() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      o proxy_order;
      endpoint uuid;
      event uuid;
    BEGIN
      SELECT * INTO o FROM proxy_order
      WHERE id = NEW.order_id AND host IS NOT NULL AND proxy_status IN ('active', 'expiring');
      SELECT e.id INTO endpoint FROM webhook_endpoint e JOIN user_account a ON a.id = e.user_id
      WHERE e.user_id = o.user_id AND e.enabled AND a.deleted_at IS NULL FOR KEY SHARE;
      IF endpoint IS NULL THEN RETURN NULL; END IF;
      event := uuid_v7_at(o.updated_at);
      INSERT INTO webhook_event (id, user_id, order_id, is_test, change_source, host, port, protocol, status,
        previous_status, expires_at, occurred_at)
      VALUES (event, o.user_id, o.id, false, 'replaced', o.host, o.port, o.protocol, o.proxy_status, o.proxy_status,
        o.expires_at, o.updated_at);
      INSERT INTO webhook_delivery (id, endpoint_id, event_id, status, attempt, next_attempt_at, created_at)
      VALUES (uuid_v7_at(o.updated_at), endpoint, event, 'pending', 0, o.updated_at, o.updated_at);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER proxy_replaced_event AFTER UPDATE OF status ON proxy_change
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.kind = 'replace' AND OLD.status = 'pending' AND NEW.status = 'applied') EXECUTE FUNCTION proxy_replaced_event()
  `
})
