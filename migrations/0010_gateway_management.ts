import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What may be changed about a proxy of the embedded gateway while it is open. */
const columns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TRIGGER gateway_proxy_revise ON gateway_proxy`
  yield* sql`DROP TRIGGER gateway_proxy_notify ON gateway_proxy`
  // What both SOCKS5 (RFC 1929) and HTTP (RFC 7617) can carry.
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
      -- How often another exit address was asked for, found or not.
      ADD COLUMN rotations integer NOT NULL DEFAULT 0,
      -- The running cycle: used_bytes and leased_bytes are its own.
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

/** What has ended does not change, and gateway processes hear of every change of the rest. */
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

export default Effect.all([columns, changes], { discard: true })
