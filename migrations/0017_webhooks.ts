import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** At most one endpoint of an account is enabled (docs/contract.md, "Webhooks"). */
const endpoints = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE webhook_endpoint (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      event_type text NOT NULL CHECK (event_type = 'proxy.status_changed'),
      url text NOT NULL CHECK (char_length(url) <= 2048),
      enabled boolean NOT NULL,
      signing_secret text NOT NULL CHECK (signing_secret ~ '^whsec_[0-9a-f]{64}$'),
      secret_preview text NOT NULL,
      last_test_at timestamptz,
      last_delivery_at timestamptz,
      failing_since timestamptz,
      failure_warned_at timestamptz CHECK (failure_warned_at >= failing_since),
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CHECK (failure_warned_at IS NULL OR failing_since IS NOT NULL),
      CHECK (secret_preview = left(signing_secret, 12) || '...' || right(signing_secret, 6))
    )
  `
  yield* sql`CREATE UNIQUE INDEX webhook_endpoint_enabled ON webhook_endpoint (user_id) WHERE enabled`
  yield* sql`CREATE INDEX webhook_endpoint_of_user ON webhook_endpoint (user_id, created_at DESC, id DESC)`
})

/** Events, their deliveries to endpoints, and each attempt of a delivery. */
const deliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE webhook_event (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      order_id uuid NOT NULL,
      is_test boolean NOT NULL,
      change_source text NOT NULL,
      host text NOT NULL,
      port integer NOT NULL,
      protocol text NOT NULL CHECK (protocol IN ('HTTP', 'HTTPS', 'SOCKS5')),
      status text NOT NULL CHECK (status IN ('pending', 'active', 'expiring', 'expired', 'cancelled')),
      previous_status text CHECK (previous_status IN ('pending', 'active', 'expiring', 'expired', 'cancelled')),
      expires_at timestamptz,
      occurred_at timestamptz NOT NULL,
      CHECK (is_test = (previous_status IS NULL))
    )
  `
  yield* sql`CREATE INDEX webhook_event_by_age ON webhook_event (occurred_at)`
  yield* sql`
    CREATE TABLE webhook_delivery (
      id uuid PRIMARY KEY,
      endpoint_id uuid NOT NULL REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
      event_id uuid NOT NULL REFERENCES webhook_event (id) ON DELETE CASCADE,
      status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed', 'abandoned', 'cancelled')),
      attempt integer NOT NULL CHECK (attempt BETWEEN 0 AND 5),
      next_attempt_at timestamptz,
      created_at timestamptz NOT NULL,
      finished_at timestamptz,
      CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL)),
      CHECK ((status = 'pending') = (finished_at IS NULL)),
      CHECK (status NOT IN ('delivered', 'failed') OR attempt >= 1),
      CHECK (status <> 'abandoned' OR attempt = 5)
    )
  `
  yield* sql`CREATE INDEX webhook_delivery_of_event ON webhook_delivery (event_id)`
  yield* sql`CREATE INDEX webhook_delivery_of_endpoint ON webhook_delivery (endpoint_id, created_at DESC, id DESC)`
  yield* sql`
    CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint_id, next_attempt_at) WHERE status = 'pending'
  `
  yield* sql`
    CREATE TABLE webhook_attempt (
      delivery_id uuid NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE,
      attempt integer NOT NULL CHECK (attempt BETWEEN 1 AND 5),
      started_at timestamptz NOT NULL,
      duration_ms integer CHECK (duration_ms >= 0),
      status_code integer CHECK (status_code BETWEEN 100 AND 999),
      error text,
      PRIMARY KEY (delivery_id, attempt)
    )
  `
})

/**
 * Receivers order events by the time of the change (docs/contract.md, "Webhooks"): no change of a proxy's status has an
 * earlier time than the previous one, even if its transaction had to wait or the clocks of two instances differ.
 */
const chronology = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION proxy_status_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.updated_at := greatest(NEW.updated_at, OLD.updated_at);
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_status_in_order BEFORE UPDATE OF proxy_status ON proxy_order
    FOR EACH ROW WHEN (OLD.proxy_status IS DISTINCT FROM NEW.proxy_status) EXECUTE FUNCTION proxy_status_in_order()
  `
})

/** Notifies senders of a new delivery when the transaction that recorded it commits. */
const notify = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION webhook_delivery_recorded() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('webhook_delivery', due.endpoint_id::text)
      FROM (SELECT DISTINCT endpoint_id FROM recorded WHERE status = 'pending') due;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER webhook_delivery_recorded AFTER INSERT ON webhook_delivery REFERENCING NEW TABLE AS recorded
    FOR EACH STATEMENT EXECUTE FUNCTION webhook_delivery_recorded()
  `
})

/**
 * The database itself records every change of a proxy's status, in the transaction that makes it, for the account's
 * enabled endpoint; without an endpoint it records nothing (docs/contract.md, "Webhooks"). An order that ends before it
 * had a proxy has no event. The locks wait for a running deletion of the endpoint or the account, so that the deletion
 * neither fails the change of the proxy nor is missed.
 */
const events = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION uuid_v7_at(at timestamptz) RETURNS uuid LANGUAGE sql AS $$
      SELECT overlay(overlay(replace(gen_random_uuid()::text, '-', '')
        PLACING lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') FROM 1)
        PLACING '7' FROM 13)::uuid
    $$
  `
  yield* sql`
    CREATE FUNCTION proxy_status_event() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      endpoint uuid;
      event uuid;
    BEGIN
      SELECT e.id INTO endpoint FROM webhook_endpoint e JOIN user_account a ON a.id = e.user_id
      WHERE e.user_id = NEW.user_id AND e.enabled AND a.deleted_at IS NULL FOR KEY SHARE;
      IF endpoint IS NULL THEN RETURN NULL; END IF;
      event := uuid_v7_at(NEW.updated_at);
      INSERT INTO webhook_event (id, user_id, order_id, is_test, change_source, host, port, protocol, status,
        previous_status, expires_at, occurred_at)
      VALUES (event, NEW.user_id, NEW.id, false, 'status_changed', NEW.host, NEW.port, NEW.protocol, NEW.proxy_status,
        OLD.proxy_status, NEW.expires_at, NEW.updated_at);
      INSERT INTO webhook_delivery (id, endpoint_id, event_id, status, attempt, next_attempt_at, created_at)
      VALUES (uuid_v7_at(NEW.updated_at), endpoint, event, 'pending', 0, NEW.updated_at, NEW.updated_at);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_status_event AFTER UPDATE OF proxy_status ON proxy_order
    FOR EACH ROW WHEN (OLD.proxy_status IS DISTINCT FROM NEW.proxy_status AND NEW.host IS NOT NULL)
    EXECUTE FUNCTION proxy_status_event()
  `
})

/** The owner of a failing endpoint gets a notice before it is disabled, and another when it is. */
const notices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE notification DROP CONSTRAINT notification_kind_check`
  yield* sql`
    ALTER TABLE notification ADD CONSTRAINT notification_kind_check CHECK (kind IN ('proxy_expiring', 'proxy_renewed',
      'renewal_failed', 'deposit_credited', 'provisioning_failed', 'change_failed', 'proxy_reduced', 'proxy_ended',
      'webhook_failing', 'webhook_disabled'))
  `
})

export default Effect.all([endpoints, deliveries, notify, chronology, events, notices], { discard: true })
