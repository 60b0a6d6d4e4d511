import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * `NOTIFY` in a transaction makes commits wait for each other, so no transaction that spends or delivers notifies. The
 * process that committed calls one of these functions afterwards, in a transaction of its own (`Wakes`).
 */
const functions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TRIGGER gateway_proxy_notify ON gateway_proxy`
  yield* sql`DROP FUNCTION gateway_proxy_notify`
  yield* sql`DROP TRIGGER webhook_delivery_recorded ON webhook_delivery`
  yield* sql`DROP FUNCTION webhook_delivery_recorded`
  yield* sql`
    CREATE FUNCTION wake_gateway_proxy(proxies uuid[]) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('gateway_proxy', id::text) FROM unnest(proxies) AS id;
    END $$
  `
  yield* sql`
    CREATE FUNCTION wake_webhook_delivery(endpoints uuid[]) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('webhook_delivery', id::text) FROM unnest(endpoints) AS id;
    END $$
  `
  // Most accounts have no endpoint: their orders wake nobody.
  yield* sql`
    CREATE FUNCTION wake_proxy_status(orders uuid[]) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM wake_webhook_delivery(ARRAY(
        SELECT id FROM webhook_endpoint
        WHERE enabled AND user_id IN (SELECT user_id FROM proxy_order WHERE id = ANY (orders))
      ));
    END $$
  `
})

/** The deletion of an account closes its proxies and notifies gateways itself: deletions are rare, and spend nothing. */
const closure = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    CREATE OR REPLACE FUNCTION account_closure_begin() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      proxies uuid[];
    BEGIN
      -- Locked in the order of their ids, as traffic reports lock them.
      SELECT array_agg(id) INTO proxies FROM (
        SELECT p.id FROM gateway_proxy p JOIN proxy_order o ON o.id = p.reference
        WHERE o.user_id = NEW.id AND p.status = 'open' ORDER BY p.id FOR UPDATE OF p
      ) open;
      UPDATE gateway_proxy SET status = 'closed', updated_at = NEW.deleted_at
      WHERE id = ANY (proxies) AND status = 'open';
      PERFORM wake_gateway_proxy(proxies);
      INSERT INTO account_closure (user_id, due_at) VALUES (NEW.id, NEW.deleted_at) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$
  `
)

/**
 * Each row gets a column with the transaction that wrote it, so that listeners find rows whose wake-up was lost: they know
 * that every transaction below `pg_snapshot_xmin` has ended. Rows from before this migration have no transaction.
 */
const transactions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE gateway_proxy ADD COLUMN changed_in bigint`
  yield* sql`ALTER TABLE gateway_proxy ALTER COLUMN changed_in SET DEFAULT pg_current_xact_id()::text::bigint`
  yield* sql`CREATE INDEX gateway_proxy_changed ON gateway_proxy (changed_in) WHERE changed_in IS NOT NULL`
  yield* sql`
    CREATE OR REPLACE FUNCTION gateway_proxy_revise() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF OLD.status = 'closed' THEN
        RAISE EXCEPTION 'a closed gateway proxy does not change' USING ERRCODE = 'check_violation';
      END IF;
      IF NEW.status = 'open' AND OLD.expires_at <= NEW.updated_at THEN
        RAISE EXCEPTION 'an expired gateway proxy does not change' USING ERRCODE = 'check_violation';
      END IF;
      NEW.revision := OLD.revision + 1;
      NEW.changed_in := pg_current_xact_id()::text::bigint;
      RETURN NEW;
    END $$
  `
  yield* sql`ALTER TABLE webhook_delivery ADD COLUMN recorded_in bigint`
  yield* sql`ALTER TABLE webhook_delivery ALTER COLUMN recorded_in SET DEFAULT pg_current_xact_id()::text::bigint`
  yield* sql`
    CREATE INDEX webhook_delivery_recorded ON webhook_delivery (recorded_in)
    WHERE status = 'pending' AND attempt = 0 AND recorded_in IS NOT NULL
  `
})

export default Effect.all([functions, closure, transactions], { discard: true })
