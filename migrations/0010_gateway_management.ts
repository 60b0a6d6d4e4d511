import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The parts of an open proxy of the embedded gateway that may change. */
const columns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TRIGGER gateway_proxy_revise ON gateway_proxy`
  yield* sql`DROP TRIGGER gateway_proxy_notify ON gateway_proxy`
  // The characters that both SOCKS5 (RFC 1929) and HTTP (RFC 7617) can carry.
  yield* sql`
    CREATE FUNCTION gateway_logins_valid(logins jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
      SELECT CASE WHEN jsonb_typeof(logins) = 'array' THEN jsonb_array_length(logins) BETWEEN 1 AND 20 AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(logins) AS login
        WHERE (octet_length(login->>'username') BETWEEN 1 AND 255 AND position(':' IN login->>'username') = 0
          AND octet_length(login->>'password') BETWEEN 1 AND 255) IS NOT TRUE
      ) ELSE false END
    $$
  `
  yield* sql`
    ALTER TABLE gateway_proxy
      -- Every login that works: [{username, password}].
      ADD COLUMN logins jsonb,
      ADD COLUMN signature text CHECK (signature IN ('android', 'ios', 'linux', 'macos', 'windows')),
      -- The number of requests for another exit address, successful or not.
      ADD COLUMN rotations integer NOT NULL DEFAULT 0,
      -- The running cycle: used_bytes and leased_bytes belong to it.
      ADD COLUMN cycle integer NOT NULL DEFAULT 1 CHECK (cycle >= 1),
      -- The last billed change, so that it is made once.
      ADD COLUMN change_reference uuid UNIQUE
  `
  yield* sql`
    UPDATE gateway_proxy SET
      logins = jsonb_build_array(jsonb_build_object('username', username, 'password', password)),
      signature = CASE kind WHEN 'mobile' THEN 'android' END
  `
  yield* sql`
    ALTER TABLE gateway_proxy
      ALTER COLUMN logins SET NOT NULL,
      DROP COLUMN username,
      DROP COLUMN password,
      ADD CHECK (gateway_logins_valid(logins)),
      ADD CHECK (cardinality(whitelist) <= 100),
      ADD CHECK ((kind = 'mobile') = (signature IS NOT NULL)),
      ADD CHECK (rotations = 0 OR (rotations > 0 AND kind = 'mobile'))
  `
})

/** A closed proxy does not change, and gateway processes hear of every change of an open one. */
const changes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
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
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_proxy_revise
    BEFORE UPDATE OF protocol, port, logins, whitelist, exit_ip, rotations, signature, limit_bytes, cycle, status, expires_at
    ON gateway_proxy FOR EACH ROW EXECUTE FUNCTION gateway_proxy_revise()
  `
  yield* sql`
    CREATE TRIGGER gateway_proxy_notify AFTER INSERT OR UPDATE OF
      protocol, port, logins, whitelist, exit_ip, rotations, signature, limit_bytes, cycle, status, expires_at
    ON gateway_proxy FOR EACH ROW EXECUTE FUNCTION gateway_proxy_notify()
  `
  yield* sql`
    CREATE FUNCTION gateway_proxy_refuse_cycle() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a cycle begins with nothing used, counts up, and never becomes shorter'
        USING ERRCODE = 'check_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_proxy_cycle BEFORE UPDATE ON gateway_proxy FOR EACH ROW WHEN (
      CASE NEW.cycle
        WHEN OLD.cycle THEN NEW.used_bytes < OLD.used_bytes OR NEW.expires_at < OLD.expires_at
        WHEN OLD.cycle + 1 THEN NEW.used_bytes > 0 OR NEW.leased_bytes > 0
        ELSE true
      END
    ) EXECUTE FUNCTION gateway_proxy_refuse_cycle()
  `
})

/**
 * Traffic belongs to a cycle. The table keeps it by the hour, and the database sums it by the day and by the cycle, so
 * that no query reads the hours of a year.
 */
const sums = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE gateway_cycle (
      proxy_id uuid NOT NULL REFERENCES gateway_proxy (id),
      cycle integer NOT NULL CHECK (cycle >= 1),
      -- The time when the next cycle began; null for the last one.
      ended_at timestamptz,
      bytes bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),
      PRIMARY KEY (proxy_id, cycle)
    )
  `
  yield* sql`CREATE UNIQUE INDEX gateway_cycle_last ON gateway_cycle (proxy_id) WHERE ended_at IS NULL`
  yield* sql`
    CREATE TABLE gateway_usage_day (
      proxy_id uuid NOT NULL,
      day timestamptz NOT NULL CHECK (date_trunc('day', day, 'UTC') = day),
      cycle integer NOT NULL,
      bytes bigint NOT NULL CHECK (bytes > 0),
      PRIMARY KEY (proxy_id, day, cycle),
      FOREIGN KEY (proxy_id, cycle) REFERENCES gateway_cycle
    )
  `
  yield* sql`
    INSERT INTO gateway_cycle (proxy_id, cycle, bytes)
    SELECT id, cycle, coalesce(sum(bytes), 0) FROM gateway_proxy LEFT JOIN gateway_usage ON proxy_id = id GROUP BY id
  `
  yield* sql`
    INSERT INTO gateway_usage_day (proxy_id, day, cycle, bytes)
    SELECT proxy_id, date_trunc('day', hour, 'UTC'), 1, sum(bytes) FROM gateway_usage GROUP BY 1, 2
  `
  yield* sql`ALTER TABLE gateway_usage ADD COLUMN cycle integer NOT NULL DEFAULT 1`
  yield* sql`
    ALTER TABLE gateway_usage
      ALTER COLUMN cycle DROP DEFAULT,
      DROP CONSTRAINT gateway_usage_pkey,
      ADD PRIMARY KEY (proxy_id, hour, cycle),
      ADD FOREIGN KEY (proxy_id, cycle) REFERENCES gateway_cycle
  `
})

const summing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION gateway_cycle_begin() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE gateway_cycle SET ended_at = NEW.updated_at
      WHERE proxy_id = NEW.id AND cycle < NEW.cycle AND ended_at IS NULL;
      INSERT INTO gateway_cycle (proxy_id, cycle) VALUES (NEW.id, NEW.cycle) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_cycle_begin AFTER INSERT OR UPDATE OF cycle ON gateway_proxy
    FOR EACH ROW EXECUTE FUNCTION gateway_cycle_begin()
  `
  for (const [event, tables, passed] of [
    ["INSERT", "NEW TABLE AS added", "added"],
    [
      "UPDATE",
      "OLD TABLE AS removed NEW TABLE AS added",
      `(SELECT proxy_id, hour, cycle, bytes FROM added UNION ALL
        SELECT proxy_id, hour, cycle, -bytes FROM removed) passed`
    ]
  ] as const) {
    const name = sql(`gateway_usage_${event.toLowerCase()}`)
    yield* sql`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO gateway_usage_day (proxy_id, day, cycle, bytes)
        SELECT proxy_id, date_trunc('day', hour, 'UTC'), cycle, sum(bytes) FROM ${sql.literal(passed)} GROUP BY 1, 2, 3
        ON CONFLICT (proxy_id, day, cycle) DO UPDATE SET bytes = gateway_usage_day.bytes + excluded.bytes;
        UPDATE gateway_cycle c SET bytes = c.bytes + p.bytes
        FROM (SELECT proxy_id, cycle, sum(bytes) AS bytes FROM ${sql.literal(passed)} GROUP BY 1, 2) p
        WHERE (c.proxy_id, c.cycle) = (p.proxy_id, p.cycle);
        RETURN NULL;
      END $$
    `
    yield* sql`
      CREATE TRIGGER ${name} AFTER ${sql.literal(event)} ON gateway_usage REFERENCING ${sql.literal(tables)}
      FOR EACH STATEMENT EXECUTE FUNCTION ${name}()
    `
  }
})

/** A released port is sold again as late as possible. */
const ports = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`CREATE INDEX gateway_proxy_closed ON gateway_proxy (port, updated_at) WHERE status = 'closed'`
)

export default Effect.all([columns, changes, sums, summing, ports], { discard: true })
