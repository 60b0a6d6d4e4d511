import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Pauses of sales: what the operator does not sell for a while. The flag `paused` of an offer follows from the open rows. */
const records = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE sales_pause (
      -- Chosen by the caller, so that a repeated request finds its row.
      id uuid PRIMARY KEY,
      scope text NOT NULL,
      -- A provider's name, a kind, the id of an article or of an offer, or a payment method.
      scope_id text,
      reason text NOT NULL CHECK (char_length(reason) BETWEEN 3 AND 500),
      placed_by text NOT NULL CHECK (char_length(placed_by) BETWEEN 1 AND 200),
      placed_at timestamptz NOT NULL,
      until_at timestamptz NOT NULL CHECK (until_at > placed_at AND until_at <= placed_at + interval '366 days'),
      lifted_at timestamptz,
      lifted_by text CHECK (char_length(lifted_by) BETWEEN 1 AND 200),
      lift_reason text CHECK (char_length(lift_reason) BETWEEN 3 AND 500),
      CONSTRAINT sales_pause_scope CHECK (CASE scope
        WHEN 'all' THEN scope_id IS NULL
        WHEN 'kind' THEN scope_id IN ('datacenter', 'residential', 'mobile')
        WHEN 'method' THEN scope_id IN ('crypto_gateway', 'card_gateway', 'messenger_stars')
        WHEN 'offer' THEN scope_id ~ '^[1-9][0-9]{0,9}$'
        WHEN 'provider' THEN char_length(scope_id) BETWEEN 1 AND 200
        WHEN 'article' THEN char_length(scope_id) BETWEEN 1 AND 200
        ELSE false
      END AND (scope = 'all' OR scope_id IS NOT NULL)),
      CONSTRAINT sales_pause_lifted CHECK (num_nonnulls(lifted_at, lifted_by, lift_reason) IN (0, 3))
    )
  `
  // Who resumes a sale ends its only pause.
  yield* sql`
    CREATE UNIQUE INDEX sales_pause_open ON sales_pause (scope, scope_id) NULLS NOT DISTINCT WHERE lifted_at IS NULL
  `
  yield* sql`CREATE INDEX sales_pause_due ON sales_pause (until_at) WHERE lifted_at IS NULL`
  yield* sql`
    CREATE FUNCTION sales_pause_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a pause is lifted once, and does not change otherwise' USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER sales_pause_changes_once BEFORE UPDATE ON sales_pause
    FOR EACH ROW WHEN (
      OLD.lifted_at IS NOT NULL OR NEW.lifted_at IS NULL
      OR to_jsonb(NEW) - '{lifted_at,lifted_by,lift_reason}'::text[]
        <> to_jsonb(OLD) - '{lifted_at,lifted_by,lift_reason}'::text[]
    ) EXECUTE FUNCTION sales_pause_refuse()
  `
  yield* sql`
    CREATE TRIGGER sales_pause_keep BEFORE DELETE OR TRUNCATE ON sales_pause
    FOR EACH STATEMENT EXECUTE FUNCTION sales_pause_refuse()
  `
})

/** The flag of each offer. A purchase reads it with the price, so that a pause stops it in every process at once. */
const flags = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE offer ADD COLUMN paused boolean NOT NULL DEFAULT false`
  yield* sql`
    CREATE FUNCTION sales_are_paused(o offer) RETURNS boolean LANGUAGE sql STABLE AS $$
      SELECT EXISTS (
        SELECT FROM sales_pause p WHERE p.lifted_at IS NULL AND CASE p.scope
          WHEN 'all' THEN true
          WHEN 'provider' THEN p.scope_id = o.provider
          WHEN 'kind' THEN p.scope_id = o.kind
          WHEN 'article' THEN o.provider = 'gateway' AND p.scope_id = o.external_id
          WHEN 'offer' THEN p.scope_id = o.id::text
          ELSE false
        END
      )
    $$
  `
  yield* sql`
    CREATE FUNCTION offer_pause() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.paused := sales_are_paused(NEW);
      RETURN NEW;
    END $$
  `
  // Vendors add offers, and may change the kind of one.
  yield* sql`
    CREATE TRIGGER offer_pause BEFORE INSERT OR UPDATE OF kind ON offer FOR EACH ROW EXECUTE FUNCTION offer_pause()
  `
  yield* sql`
    CREATE FUNCTION sales_pause_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      now timestamptz := coalesce(NEW.lifted_at, NEW.placed_at);
    BEGIN
      -- Every change of offers locks the version of the catalog first.
      PERFORM FROM catalog_version FOR UPDATE;
      UPDATE offer o SET paused = NOT o.paused, updated_at = now WHERE o.paused <> sales_are_paused(o);
      IF FOUND THEN
        UPDATE catalog_version SET version = version + 1, changed_at = now;
        PERFORM pg_notify('catalog_changed', '');
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER sales_pause_changed AFTER INSERT OR UPDATE ON sales_pause
    FOR EACH ROW WHEN (NEW.scope <> 'method') EXECUTE FUNCTION sales_pause_changed()
  `
})

/** The calls of providers by minute, for the last hours. Every process adds what it counted. */
const calls = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE provider_calls (
      provider text NOT NULL CHECK (provider <> ''),
      operation text NOT NULL CHECK (operation <> ''),
      minute timestamptz NOT NULL,
      calls integer NOT NULL CHECK (calls > 0),
      -- The provider refused for good; the others failed.
      refused integer NOT NULL CHECK (refused >= 0),
      failed integer NOT NULL CHECK (failed >= 0 AND refused + failed <= calls),
      -- The number of calls by duration (src/provider/CallDurations.ts).
      durations integer[] NOT NULL,
      -- The reason of the last failure in this minute.
      failure text CHECK (char_length(failure) BETWEEN 1 AND 300),
      PRIMARY KEY (provider, operation, minute)
    )
  `
  yield* sql`CREATE INDEX provider_calls_minute ON provider_calls (minute)`
})

export default Effect.all([records, flags, calls], { discard: true })
