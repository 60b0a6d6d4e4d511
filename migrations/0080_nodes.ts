import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The node of gateways that reach the database themselves. */
const local = "00000000-0000-4000-8000-000000000001"

/** The hosts that run gateways. */
const nodes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  yield* sql`
    CREATE TABLE gateway_node (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,31}$'),
      state text NOT NULL CHECK (state IN ('joining', 'ready', 'draining', 'silent', 'lost', 'retired')),
      state_since timestamptz NOT NULL,
      reason text CHECK (char_length(reason) BETWEEN 1 AND 500),
      -- The Ed25519 key of the node. Null: it reaches the database itself, has not enrolled yet, or is revoked.
      public_key bytea UNIQUE CHECK (octet_length(public_key) = 32),
      -- The host that customers connect to. Null: GATEWAY_HOST.
      host text CHECK (char_length(host) BETWEEN 1 AND 253),
      -- The number of changes of its proxies, counted under the lock of this row: without gaps, in the order of the commits.
      version bigint NOT NULL DEFAULT 0 CHECK (version >= 0),
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )
  `
  yield* sql`
    INSERT INTO gateway_node (id, name, state, state_since, created_at, updated_at)
    VALUES (${local}, 'local', 'ready', ${now}, ${now}, ${now})
  `
  // Heartbeats write here, so that they never wait for a change of a proxy.
  yield* sql`
    CREATE TABLE gateway_node_status (
      node_id uuid PRIMARY KEY REFERENCES gateway_node,
      -- The connection that gets the changes. An older connection ends.
      session uuid,
      boot_id text CHECK (char_length(boot_id) BETWEEN 1 AND 100),
      program text CHECK (char_length(program) BETWEEN 1 AND 100),
      acked_version bigint,
      -- The proxies that it serves.
      served integer CHECK (served >= 0),
      offset_ms integer,
      heard_at timestamptz
    ) WITH (fillfactor = 50)
  `
  yield* sql`
    CREATE TABLE gateway_enrolment (
      -- SHA-256 of the token, in hexadecimal.
      token_hash text PRIMARY KEY CHECK (token_hash ~ '^[0-9a-f]{64}$'),
      node_id uuid NOT NULL REFERENCES gateway_node,
      expires_at timestamptz NOT NULL,
      used_by_key bytea,
      used_at timestamptz,
      CHECK ((used_by_key IS NULL) = (used_at IS NULL))
    )
  `
  yield* sql`CREATE INDEX gateway_enrolment_node ON gateway_enrolment (node_id)`
})

/** The moves of a node between its states. */
const states = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION gateway_node_move() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF OLD.id = '00000000-0000-4000-8000-000000000001' THEN
        RAISE EXCEPTION 'the local node has one state' USING ERRCODE = 'check_violation';
      END IF;
      IF (OLD.state, NEW.state) NOT IN (
        ('joining', 'ready'), ('joining', 'draining'), ('joining', 'retired'),
        ('ready', 'draining'), ('ready', 'silent'), ('ready', 'lost'),
        ('draining', 'ready'), ('draining', 'silent'), ('draining', 'lost'), ('draining', 'retired'),
        ('silent', 'ready'), ('silent', 'draining'), ('silent', 'lost'),
        ('lost', 'ready'), ('lost', 'draining'), ('lost', 'retired')
      ) THEN
        RAISE EXCEPTION 'a node does not move from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
      END IF;
      IF NEW.state = 'retired' AND EXISTS (SELECT FROM gateway_proxy WHERE node_id = NEW.id AND status = 'open') THEN
        RAISE EXCEPTION 'a node with open proxies does not retire' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_node_move BEFORE UPDATE OF state ON gateway_node
    FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION gateway_node_move()
  `
  // Sessions of every instance hear that a key was revoked, or that a state has changed.
  yield* sql`
    CREATE FUNCTION gateway_node_notify() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('gateway_node', NEW.id::text);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_node_notify AFTER UPDATE OF state, public_key ON gateway_node
    FOR EACH ROW EXECUTE FUNCTION gateway_node_notify()
  `
  yield* sql`
    CREATE FUNCTION gateway_node_status_notify() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('gateway_node', NEW.node_id::text);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_node_status_notify AFTER UPDATE OF session ON gateway_node_status
    FOR EACH ROW WHEN (OLD.session IS DISTINCT FROM NEW.session) EXECUTE FUNCTION gateway_node_status_notify()
  `
})

/** Each proxy belongs to one node. A change of a proxy of another node than the local one gets a version of that node. */
const proxies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE gateway_proxy
      ADD COLUMN node_id uuid NOT NULL DEFAULT '00000000-0000-4000-8000-000000000001' REFERENCES gateway_node,
      ADD COLUMN version bigint
  `
  yield* sql`CREATE UNIQUE INDEX gateway_proxy_node_port ON gateway_proxy (node_id, port) WHERE status = 'open'`
  yield* sql`DROP INDEX gateway_proxy_port`
  yield* sql`CREATE INDEX gateway_proxy_version ON gateway_proxy (node_id, version) WHERE version IS NOT NULL`
  yield* sql`
    CREATE TABLE gateway_departure (
      node_id uuid NOT NULL REFERENCES gateway_node,
      proxy_id uuid NOT NULL REFERENCES gateway_proxy (id),
      version bigint NOT NULL,
      PRIMARY KEY (node_id, version)
    )
  `
  yield* sql`
    CREATE FUNCTION gateway_node_count(node uuid) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE
      counted bigint;
    BEGIN
      UPDATE gateway_node SET version = version + 1 WHERE id = node RETURNING version INTO counted;
      PERFORM pg_notify('gateway_node', node::text);
      RETURN counted;
    END $$
  `
  yield* sql`
    CREATE FUNCTION gateway_proxy_version() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      local CONSTANT uuid := '00000000-0000-4000-8000-000000000001';
    BEGIN
      IF TG_OP = 'UPDATE' AND OLD.node_id <> NEW.node_id THEN
        -- Both rows are locked in the order of their ids, so that two moves never wait for each other.
        PERFORM FROM gateway_node WHERE id IN (OLD.node_id, NEW.node_id) AND id <> local ORDER BY id FOR UPDATE;
        IF NEW.revision = OLD.revision THEN
          NEW.revision := OLD.revision + 1;
          NEW.changed_in := pg_current_xact_id()::text::bigint;
        END IF;
        IF OLD.node_id <> local THEN
          INSERT INTO gateway_departure (node_id, proxy_id, version)
          VALUES (OLD.node_id, OLD.id, gateway_node_count(OLD.node_id));
        END IF;
      END IF;
      NEW.version := CASE WHEN NEW.node_id <> local THEN gateway_node_count(NEW.node_id) END;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_proxy_version_insert BEFORE INSERT ON gateway_proxy FOR EACH ROW
    WHEN (NEW.node_id <> '00000000-0000-4000-8000-000000000001') EXECUTE FUNCTION gateway_proxy_version()
  `
  // Runs after gateway_proxy_revise, which counts the changes that concern a gateway: triggers run in the order of names.
  yield* sql`
    CREATE TRIGGER gateway_proxy_version_update BEFORE UPDATE ON gateway_proxy FOR EACH ROW WHEN (
      OLD.node_id <> NEW.node_id OR
      NEW.node_id <> '00000000-0000-4000-8000-000000000001' AND NEW.revision <> OLD.revision
    ) EXECUTE FUNCTION gateway_proxy_version()
  `
})

/** The connections of nodes hear of changed rules: the nil id stands for every node. */
const rules = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`
    CREATE FUNCTION gateway_node_rules_notify() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('gateway_node', '00000000-0000-0000-0000-000000000000');
      RETURN NULL;
    END $$
  `.pipe(
    Effect.andThen(sql`
      CREATE TRIGGER gateway_node_rules_notify AFTER UPDATE ON destination_rules_state
      FOR EACH STATEMENT EXECUTE FUNCTION gateway_node_rules_notify()
    `)
  )
)

/** The runs of gateway processes, by node. */
const processes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE gateway_instance
      ADD COLUMN node_id uuid NOT NULL DEFAULT '00000000-0000-4000-8000-000000000001' REFERENCES gateway_node,
      -- The run of the operating system. The journal of a process counts only within it.
      ADD COLUMN boot_id text CHECK (char_length(boot_id) BETWEEN 1 AND 100),
      ADD COLUMN program text CHECK (char_length(program) BETWEEN 1 AND 100)
  `
  yield* sql`
    CREATE INDEX gateway_instance_node ON gateway_instance (node_id)
    WHERE node_id <> '00000000-0000-4000-8000-000000000001'
  `
  yield* sql`
    ALTER TABLE gateway_lease
      -- The bytes that the process has reported in this cycle: what its journal counts beyond them is not booked yet.
      ADD COLUMN reported_bytes bigint NOT NULL DEFAULT 0 CHECK (reported_bytes >= 0)
  `
})

export default Effect.all([nodes, proxies, states, rules, processes], { discard: true })
