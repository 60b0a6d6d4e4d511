import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Staff of the operator, apart from customers, with their sessions, tokens and invitations; what they do, in an append-only
 * chain; and the repeatable actions of staff. Secrets are stored as SHA-256. Events name what they are about by id, without
 * foreign keys, so that they outlive it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE staff (
      id uuid PRIMARY KEY,
      email text NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
      name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
      role text NOT NULL CHECK (role IN ('owner', 'finance', 'support', 'viewer')),
      -- Null until the person has accepted the invitation.
      password_hash text,
      totp_secret text CHECK (totp_secret ~ '^[A-Z2-7]{32}$'),
      totp_confirmed_at timestamptz,
      last_totp_step integer NOT NULL DEFAULT 0,
      recovery_hashes text[] NOT NULL DEFAULT '{}' CHECK (cardinality(recovery_hashes) <= 10),
      disabled_at timestamptz,
      -- Null for those that a command added.
      created_by uuid,
      created_at timestamptz NOT NULL,
      CHECK (totp_confirmed_at IS NULL OR totp_secret IS NOT NULL)
    )
  `
  yield* sql`
    CREATE TABLE staff_invite (
      -- A person has one open invitation: a link to choose a password.
      staff_id uuid PRIMARY KEY REFERENCES staff (id) ON DELETE CASCADE,
      token_hash text NOT NULL UNIQUE,
      created_by uuid,
      created_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL CHECK (ends_at <= created_at + interval '48 hours')
    )
  `
  yield* sql`
    CREATE TABLE staff_session (
      id uuid PRIMARY KEY,
      staff_id uuid NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
      secret_hash text NOT NULL UNIQUE,
      created_at timestamptz NOT NULL,
      seen_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL CHECK (ends_at <= created_at + interval '12 hours'),
      -- The last time that password and code were given together; null until the first code.
      confirmed_at timestamptz,
      address text NOT NULL,
      user_agent text NOT NULL CHECK (length(user_agent) <= 400)
    )
  `
  yield* sql`CREATE INDEX staff_session_staff ON staff_session (staff_id)`
  yield* sql`
    CREATE TABLE staff_token (
      id uuid PRIMARY KEY,
      staff_id uuid NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
      name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
      prefix text NOT NULL,
      secret_hash text NOT NULL UNIQUE,
      permissions text[] NOT NULL CHECK (cardinality(permissions) BETWEEN 1 AND 200),
      allowed_ips text[] CHECK (cardinality(allowed_ips) BETWEEN 1 AND 100),
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL CHECK (expires_at <= created_at + interval '8784 hours'),
      last_used_at timestamptz
    )
  `
  yield* sql`CREATE INDEX staff_token_staff ON staff_token (staff_id)`

  // Sessions and tokens have the rights of the moment in which they began.
  yield* sql`
    CREATE FUNCTION staff_credentials_end() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM staff_session WHERE staff_id = NEW.id;
      DELETE FROM staff_token WHERE staff_id = NEW.id;
      IF NEW.disabled_at IS NOT NULL THEN DELETE FROM staff_invite WHERE staff_id = NEW.id; END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER staff_credentials_end AFTER UPDATE OF role, disabled_at ON staff
    FOR EACH ROW WHEN (
      NEW.role <> OLD.role OR (NEW.disabled_at IS NOT NULL AND OLD.disabled_at IS NULL)
    ) EXECUTE FUNCTION staff_credentials_end()
  `

  // An active owner has accepted the invitation. The locks make two owners who demote each other wait for one another; the
  // later one then sees the other's change, because each statement of a function reads anew.
  yield* sql`
    CREATE FUNCTION staff_keep_owner() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('staff_owner', 0));
      IF NOT EXISTS (
        SELECT FROM staff WHERE role = 'owner' AND disabled_at IS NULL AND password_hash IS NOT NULL
      ) THEN
        RAISE EXCEPTION 'One active owner must remain' USING ERRCODE = 'check_violation', CONSTRAINT = 'staff_last_owner';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER staff_last_owner AFTER UPDATE OF role, disabled_at OR DELETE ON staff
    FOR EACH ROW WHEN (OLD.role = 'owner' AND OLD.disabled_at IS NULL AND OLD.password_hash IS NOT NULL)
    EXECUTE FUNCTION staff_keep_owner()
  `

  yield* sql`
    CREATE FUNCTION staff_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'The table % is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
    END $$
  `
  const appendOnly = (table: string) =>
    Effect.andThen(
      sql`
        CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ${sql(table)}
        FOR EACH ROW EXECUTE FUNCTION staff_append_only()
      `,
      sql`
        CREATE TRIGGER append_only_all BEFORE TRUNCATE ON ${sql(table)}
        FOR EACH STATEMENT EXECUTE FUNCTION staff_append_only()
      `
    )

  // The key of an action of staff, with its answer: the same key never acts twice.
  yield* sql`
    CREATE TABLE staff_action (
      id uuid PRIMARY KEY,
      operation text NOT NULL CHECK (length(operation) BETWEEN 1 AND 100),
      request_hash text NOT NULL,
      answer jsonb NOT NULL,
      created_at timestamptz NOT NULL
    )
  `
  yield* appendOnly("staff_action")

  yield* sql`
    CREATE TABLE audit_event (
      id uuid PRIMARY KEY,
      occurred_at timestamptz NOT NULL,
      actor_kind text NOT NULL CHECK (actor_kind IN ('staff', 'token', 'cli', 'system')),
      actor_id uuid,
      -- The person behind a session or a token.
      staff_id uuid,
      actor_name text NOT NULL CHECK (length(actor_name) BETWEEN 1 AND 200),
      role text,
      action text NOT NULL CHECK (action ~ '^[a-z_]+[.][a-z_]+$'),
      outcome text NOT NULL CHECK (outcome IN ('done', 'refused')),
      subject_kind text NOT NULL CHECK (subject_kind ~ '^[a-z_]+$'),
      subject_id text NOT NULL CHECK (length(subject_id) <= 300),
      user_id uuid,
      request_id text,
      address text,
      reason text CHECK (length(reason) <= 500),
      before jsonb CHECK (octet_length(before::text) <= 16384),
      after jsonb CHECK (octet_length(after::text) <= 16384)
    )
  `
  yield* appendOnly("audit_event")
  yield* sql`CREATE INDEX audit_event_staff ON audit_event (staff_id, id)`
  yield* sql`CREATE INDEX audit_event_subject ON audit_event (subject_id, id)`
  yield* sql`CREATE INDEX audit_event_user ON audit_event (user_id, id) WHERE user_id IS NOT NULL`
  yield* sql`CREATE INDEX audit_event_action ON audit_event (action, id)`

  yield* sql`
    CREATE TABLE audit_link (
      seq bigint PRIMARY KEY,
      event_id uuid NOT NULL UNIQUE REFERENCES audit_event (id),
      previous_hash bytea NOT NULL,
      hash bytea NOT NULL
    )
  `
  yield* appendOnly("audit_link")

  // The last link. Its row is the lock under which the chain grows.
  yield* sql`
    CREATE TABLE audit_head (
      is_head boolean PRIMARY KEY DEFAULT true CHECK (is_head),
      seq bigint NOT NULL,
      hash bytea NOT NULL
    )
  `
  yield* sql`INSERT INTO audit_head (seq, hash) VALUES (0, '')`
  yield* sql`
    CREATE TRIGGER only_forward BEFORE UPDATE ON audit_head
    FOR EACH ROW WHEN (NEW.seq <> OLD.seq + 1) EXECUTE FUNCTION staff_append_only()
  `
  yield* sql`
    CREATE TRIGGER append_only BEFORE DELETE ON audit_head FOR EACH ROW EXECUTE FUNCTION staff_append_only()
  `
  yield* sql`
    CREATE TRIGGER append_only_all BEFORE TRUNCATE ON audit_head
    FOR EACH STATEMENT EXECUTE FUNCTION staff_append_only()
  `

  // Names the columns, so that a later column changes no hash, and writes times in UTC whatever the zone of the session is.
  yield* sql`
    CREATE FUNCTION audit_hash(previous bytea, e audit_event) RETURNS bytea LANGUAGE sql STABLE SET timezone = 'UTC' AS $$
      SELECT sha256(previous || convert_to(jsonb_build_array(
        e.id, e.occurred_at, e.actor_kind, e.actor_id, e.staff_id, e.actor_name, e.role, e.action, e.outcome,
        e.subject_kind, e.subject_id, e.user_id, e.request_id, e.address, e.reason, e.before, e.after
      )::text, 'UTF8'))
    $$
  `
  yield* sql`
    CREATE FUNCTION audit_chain() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      head audit_head;
      linked bytea;
    BEGIN
      SELECT * INTO STRICT head FROM audit_head FOR UPDATE;
      linked := audit_hash(head.hash, NEW);
      INSERT INTO audit_link (seq, event_id, previous_hash, hash) VALUES (head.seq + 1, NEW.id, head.hash, linked);
      UPDATE audit_head SET seq = head.seq + 1, hash = linked;
      RETURN NULL;
    END $$
  `
  // At the commit, so that the lock of the chain is the last one that a transaction takes.
  yield* sql`
    CREATE CONSTRAINT TRIGGER audit_chain AFTER INSERT ON audit_event DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION audit_chain()
  `

  // Each link continues the one before and fits its event, the last one is the head, and every event has a link.
  yield* sql`
    CREATE VIEW audit_fault AS
      WITH walked AS (
        SELECT l.seq, l.hash, l.previous_hash, lag(l.seq, 1, 0::bigint) OVER w AS seq_before,
          lag(l.hash, 1, ''::bytea) OVER w AS hash_before,
          CASE WHEN e.id IS NOT NULL THEN audit_hash(l.previous_hash, e) END AS expected
        FROM audit_link l LEFT JOIN audit_event e ON e.id = l.event_id
        WINDOW w AS (ORDER BY l.seq)
      ), found AS (
        SELECT seq::text AS place, CASE
          WHEN expected IS NULL THEN 'its event is missing'
          WHEN expected <> hash THEN 'its event was changed'
          WHEN seq <> seq_before + 1 THEN 'a link before it is missing'
          ELSE 'it does not continue the link before it' END AS problem
        FROM walked
        WHERE expected IS DISTINCT FROM hash OR seq <> seq_before + 1 OR previous_hash <> hash_before
        UNION ALL
        SELECT h.seq::text, 'the head is not the last link' FROM audit_head h
        LEFT JOIN (SELECT seq, hash FROM audit_link ORDER BY seq DESC LIMIT 1) l ON true
        WHERE h.seq <> coalesce(l.seq, 0) OR h.hash <> coalesce(l.hash, '')
        UNION ALL
        SELECT e.id::text, 'it has no link' FROM audit_event e
        WHERE NOT EXISTS (SELECT FROM audit_link l WHERE l.event_id = e.id)
      )
      SELECT place, problem FROM found
  `
})
