import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The account of a proxy, for rules that hold for one account. Gateways cannot read orders. */
const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE gateway_proxy ADD COLUMN account_id uuid`
  yield* sql`
    UPDATE gateway_proxy g SET account_id = o.user_id FROM proxy_order o WHERE o.id = g.reference AND g.status = 'open'
  `
  yield* sql`
    CREATE FUNCTION gateway_proxy_account() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.account_id := (SELECT user_id FROM proxy_order WHERE id = NEW.reference);
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_proxy_account BEFORE INSERT ON gateway_proxy
    FOR EACH ROW EXECUTE FUNCTION gateway_proxy_account()
  `
})

/** The destinations that the operator blocks, and the exceptions. */
const rules = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE destination_rule (
      id uuid PRIMARY KEY,
      scope text NOT NULL CHECK (scope IN ('platform', 'article', 'account', 'proxy')),
      -- The id of the article, of the account or of the gateway's proxy.
      scope_id text,
      action text NOT NULL CHECK (action IN ('deny', 'allow')),
      first_port integer CHECK (first_port BETWEEN 1 AND 65535),
      last_port integer CHECK (last_port <= 65535),
      network cidr,
      host_suffix text CHECK (
        host_suffix ~ '^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$' AND length(host_suffix) <= 253
      ),
      reason text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 500),
      -- Null: until it is removed.
      until_at timestamptz,
      placed_by text NOT NULL CHECK (char_length(placed_by) BETWEEN 1 AND 200),
      placed_at timestamptz NOT NULL,
      CHECK ((scope = 'platform') = (scope_id IS NULL)),
      CHECK ((first_port IS NULL) = (last_port IS NULL) AND first_port <= last_port),
      -- A rule without a condition would close a whole scope by mistake.
      CHECK (num_nonnulls(first_port, network, host_suffix) > 0 AND num_nonnulls(network, host_suffix) <= 1)
    )
  `
  yield* sql`CREATE INDEX destination_rule_until ON destination_rule (until_at) WHERE until_at IS NOT NULL`
  yield* sql`
    CREATE TABLE destination_rules_state (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      -- Grows with every change of the rules.
      version bigint NOT NULL
    )
  `
  yield* sql`INSERT INTO destination_rules_state (version) VALUES (0)`
  // The row lock makes writers wait for each other, so that the count is exact. Gateways listen for changed proxies, and
  // the nil id says that the rules changed.
  yield* sql`
    CREATE FUNCTION destination_rules_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE destination_rules_state SET version = version + 1;
      IF TG_OP = 'INSERT' AND (SELECT count(*) FROM destination_rule) > 10000 THEN
        RAISE EXCEPTION 'at most 10000 destination rules' USING ERRCODE = 'check_violation';
      END IF;
      PERFORM pg_notify('gateway_proxy', '00000000-0000-0000-0000-000000000000');
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER destination_rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON destination_rule
    FOR EACH STATEMENT EXECUTE FUNCTION destination_rules_changed()
  `
})

export default Effect.all([accounts, rules], { discard: true })
