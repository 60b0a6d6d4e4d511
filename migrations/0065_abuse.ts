import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The proxies that held an exit address, and when. The database keeps the record itself, for every writer of proxies. */
const holds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE gateway_exit_hold (
      proxy_id uuid NOT NULL REFERENCES gateway_proxy (id),
      -- Null: the address of the gateway's machine.
      exit_ip inet,
      -- The port that its clients connect to.
      port integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
      from_at timestamptz NOT NULL,
      -- Null: it still holds the address.
      until_at timestamptz CHECK (until_at >= from_at)
    )
  `
  // An address that rotated before this migration is known from the last recorded rotation on.
  yield* sql`
    INSERT INTO gateway_exit_hold (proxy_id, exit_ip, port, from_at, until_at)
    SELECT id, exit_ip, port, from_at, until_at FROM (
      SELECT g.id, g.exit_ip, g.port, CASE WHEN g.status = 'closed' THEN greatest(g.updated_at, g.created_at) END AS until_at,
        CASE WHEN g.rotations = 0 THEN g.created_at ELSE least(g.updated_at, (
          SELECT max(e.occurred_at) FROM order_event e WHERE e.order_id = g.reference AND e.kind = 'rotated'
        )) END AS from_at
      FROM gateway_proxy g
    ) known WHERE until_at IS NULL OR from_at < until_at
  `
  yield* sql`CREATE UNIQUE INDEX gateway_exit_hold_open ON gateway_exit_hold (proxy_id) WHERE until_at IS NULL`
  yield* sql`CREATE INDEX gateway_exit_hold_exit ON gateway_exit_hold (exit_ip, from_at)`
  yield* sql`CREATE INDEX gateway_exit_hold_ended ON gateway_exit_hold (until_at) WHERE until_at IS NOT NULL`
  yield* sql`CREATE INDEX gateway_exit_hold_proxy ON gateway_exit_hold (proxy_id, from_at)`
  yield* sql`
    CREATE FUNCTION gateway_exit_hold_keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' THEN
        UPDATE gateway_exit_hold SET until_at = greatest(from_at, NEW.updated_at)
        WHERE proxy_id = NEW.id AND until_at IS NULL;
      END IF;
      IF NEW.status = 'open' THEN
        INSERT INTO gateway_exit_hold (proxy_id, exit_ip, port, from_at) VALUES (NEW.id, NEW.exit_ip, NEW.port,
          CASE TG_OP WHEN 'INSERT' THEN NEW.created_at ELSE NEW.updated_at END);
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_exit_hold_begin AFTER INSERT ON gateway_proxy
    FOR EACH ROW EXECUTE FUNCTION gateway_exit_hold_keep()
  `
  yield* sql`
    CREATE TRIGGER gateway_exit_hold_change AFTER UPDATE OF exit_ip, port, status ON gateway_proxy
    FOR EACH ROW WHEN ((OLD.exit_ip, OLD.port, OLD.status) IS DISTINCT FROM (NEW.exit_ip, NEW.port, NEW.status))
    EXECUTE FUNCTION gateway_exit_hold_keep()
  `
})

/** The connections from addresses that several proxies share. No row says where a connection went to. */
const connections = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE gateway_log_day (
      -- A day in UTC.
      day date PRIMARY KEY,
      -- The key of the day's destinations. It is deleted with the day.
      key bytea NOT NULL CHECK (octet_length(key) = 32),
      -- The connections that gateways could not record.
      dropped bigint NOT NULL DEFAULT 0 CHECK (dropped >= 0)
    )
  `
  yield* sql`
    CREATE TABLE gateway_connection (
      id uuid PRIMARY KEY,
      proxy_id uuid NOT NULL REFERENCES gateway_proxy (id),
      -- The address and port that the connection left the machine with.
      exit_ip inet NOT NULL,
      exit_port integer NOT NULL CHECK (exit_port BETWEEN 1 AND 65535),
      opened_at timestamptz NOT NULL,
      -- The time at which the gateway last reported the connection as open, or its end.
      seen_at timestamptz NOT NULL,
      closed boolean NOT NULL,
      destination_port integer NOT NULL CHECK (destination_port BETWEEN 1 AND 65535),
      -- The HMAC of the destination's address, with the key of the UTC day of opened_at.
      destination_mac bytea NOT NULL CHECK (octet_length(destination_mac) = 16),
      CHECK (seen_at >= opened_at)
    )
  `
  yield* sql`CREATE INDEX gateway_connection_port ON gateway_connection (exit_port, opened_at)`
  yield* sql`CREATE INDEX gateway_connection_destination ON gateway_connection (destination_mac, opened_at)`
  yield* sql`CREATE INDEX gateway_connection_opened ON gateway_connection (opened_at)`
})

/** The networks that asked for card payments, for a day. They show who tries many cards. */
const origins = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE payment_origin (
      payment_intent_id uuid PRIMARY KEY REFERENCES payment_intent (id) ON DELETE CASCADE,
      -- An IPv4 /24 or an IPv6 /48.
      network text NOT NULL CHECK (char_length(network) BETWEEN 1 AND 100),
      asked_at timestamptz NOT NULL
    )
  `
  yield* sql`CREATE INDEX payment_origin_network ON payment_origin (network, asked_at)`
  yield* sql`CREATE INDEX payment_origin_asked ON payment_origin (asked_at)`
})

export default Effect.all([holds, connections, origins], { discard: true })
