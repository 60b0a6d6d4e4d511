import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The proxies of the embedded gateway. */
const proxies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE gateway_proxy (
      id uuid PRIMARY KEY,
      reference uuid NOT NULL UNIQUE,
      kind text NOT NULL CHECK (kind IN ('datacenter', 'residential', 'mobile')),
      country_code text NOT NULL CHECK (country_code ~ '^[A-Z]{2}$'),
      ip_version text NOT NULL CHECK (ip_version IN ('IPv4', 'IPv6')),
      protocol text NOT NULL CHECK (protocol IN ('HTTP', 'HTTPS', 'SOCKS5')),
      port integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
      username text NOT NULL CHECK (username <> ''),
      password text NOT NULL CHECK (password <> ''),
      whitelist inet[] NOT NULL DEFAULT '{}' CHECK (array_position(whitelist, NULL) IS NULL),
      exit_ip inet CHECK (family(exit_ip) = CASE ip_version WHEN 'IPv4' THEN 4 ELSE 6 END),
      limit_bytes bigint CHECK (limit_bytes > 0),
      used_bytes bigint NOT NULL DEFAULT 0 CHECK (used_bytes >= 0),
      leased_bytes bigint NOT NULL DEFAULT 0 CHECK (leased_bytes >= 0),
      status text NOT NULL CHECK (status IN ('open', 'closed')),
      expires_at timestamptz NOT NULL,
      revision integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      -- The used bytes and the leased bytes together never exceed the bought bytes.
      CONSTRAINT gateway_proxy_within_limit CHECK (used_bytes + leased_bytes <= limit_bytes)
    )
  `
  yield* sql`CREATE UNIQUE INDEX gateway_proxy_port ON gateway_proxy (port) WHERE status = 'open'`
  // A static proxy has an exit address of its own; mobile proxies share a pool.
  yield* sql`
    CREATE UNIQUE INDEX gateway_proxy_exit_ip ON gateway_proxy (exit_ip)
    WHERE status = 'open' AND kind IN ('datacenter', 'residential')
  `
  yield* sql`CREATE INDEX gateway_proxy_expiry ON gateway_proxy (expires_at) WHERE status = 'open'`
})

/** Notifies gateway processes of every change that concerns them, by any writer. */
const notifications = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION gateway_proxy_revise() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF OLD.status = 'closed' AND NEW.status <> 'closed' THEN
        RAISE EXCEPTION 'a closed gateway proxy stays closed' USING ERRCODE = 'check_violation';
      END IF;
      NEW.revision := OLD.revision + 1;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_proxy_revise
    BEFORE UPDATE OF protocol, port, username, password, whitelist, exit_ip, limit_bytes, status, expires_at
    ON gateway_proxy FOR EACH ROW EXECUTE FUNCTION gateway_proxy_revise()
  `
  yield* sql`
    CREATE FUNCTION gateway_proxy_notify() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('gateway_proxy', NEW.id::text);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_proxy_notify
    AFTER INSERT OR UPDATE OF protocol, port, username, password, whitelist, exit_ip, limit_bytes, status, expires_at
    ON gateway_proxy FOR EACH ROW EXECUTE FUNCTION gateway_proxy_notify()
  `
})

/** Leases of traffic to gateway processes, and the traffic that passed. */
const traffic = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE gateway_instance (
      id uuid PRIMARY KEY,
      -- The number of the last booked report: a repeated report is booked once, and a gateway is alive while its number
      -- grows.
      report integer NOT NULL CHECK (report >= 0),
      -- The time when its leases were booked as used because the gateway was silent.
      settled_at timestamptz
    )
  `
  yield* sql`
    CREATE TABLE gateway_lease (
      proxy_id uuid NOT NULL REFERENCES gateway_proxy (id),
      instance_id uuid NOT NULL REFERENCES gateway_instance (id),
      leased_bytes bigint NOT NULL CHECK (leased_bytes >= 0),
      PRIMARY KEY (proxy_id, instance_id)
    )
  `
  yield* sql`CREATE INDEX gateway_lease_instance ON gateway_lease (instance_id)`
  yield* sql`
    CREATE FUNCTION gateway_lease_sum() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      proxy uuid;
    BEGIN
      IF TG_TABLE_NAME = 'gateway_proxy' THEN proxy := NEW.id;
      ELSIF TG_OP = 'DELETE' THEN proxy := OLD.proxy_id;
      ELSE proxy := NEW.proxy_id;
      END IF;
      IF (SELECT leased_bytes FROM gateway_proxy WHERE id = proxy) <>
         (SELECT coalesce(sum(leased_bytes), 0) FROM gateway_lease WHERE proxy_id = proxy) THEN
        RAISE EXCEPTION 'leased_bytes of gateway proxy % is not the sum of its leases', proxy
          USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER gateway_lease_sum AFTER INSERT OR UPDATE OR DELETE ON gateway_lease
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gateway_lease_sum()
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER gateway_lease_sum AFTER INSERT OR UPDATE OF leased_bytes ON gateway_proxy
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gateway_lease_sum()
  `
  yield* sql`
    CREATE TABLE gateway_usage (
      proxy_id uuid NOT NULL REFERENCES gateway_proxy (id),
      hour timestamptz NOT NULL CHECK (date_trunc('hour', hour, 'UTC') = hour),
      bytes bigint NOT NULL CHECK (bytes > 0),
      PRIMARY KEY (proxy_id, hour)
    )
  `
})

export default Effect.all([proxies, notifications, traffic], { discard: true })
