import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The connections that gateways refused, for the owner of the proxy. A row counts the equal refusals of a UTC day. It says
 * who was refused or where a connection should have gone, never both.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE gateway_refusal (
      proxy_id uuid NOT NULL REFERENCES gateway_proxy (id),
      -- A day in UTC.
      day date NOT NULL,
      reason text NOT NULL CHECK (reason ~ '^[a-z_]{1,40}$'),
      -- The address of the refused client.
      source inet,
      -- The refused destination, as the client named it.
      host text CHECK (char_length(host) BETWEEN 1 AND 253),
      port integer CHECK (port BETWEEN 1 AND 65535),
      count bigint NOT NULL CHECK (count > 0),
      first_at timestamptz NOT NULL,
      last_at timestamptz NOT NULL CHECK (last_at >= first_at),
      CHECK ((host IS NULL) = (port IS NULL)),
      CHECK (source IS NULL OR host IS NULL),
      CONSTRAINT gateway_refusal_same UNIQUE NULLS NOT DISTINCT (proxy_id, day, reason, source, host, port)
    )
  `
  yield* sql`CREATE INDEX gateway_refusal_last ON gateway_refusal (last_at)`
  // Strangers decide how many sources there are, so sources never push out the other rows.
  yield* sql`
    CREATE FUNCTION gateway_refusal_bound() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM gateway_refusal WHERE ctid IN (
        SELECT ctid FROM (
          SELECT ctid, row_number() OVER (PARTITION BY proxy_id, source IS NULL ORDER BY last_at DESC, day DESC) AS place
          FROM gateway_refusal WHERE proxy_id IN (SELECT proxy_id FROM added)
        ) numbered WHERE place > 50
      );
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_refusal_bound AFTER INSERT ON gateway_refusal REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION gateway_refusal_bound()
  `
})
