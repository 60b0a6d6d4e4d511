import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What the gateway sells, from which addresses, and at what price: the operator's data, which `shop apply` writes. */
const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE exit_pool (
      name text PRIMARY KEY CHECK (name ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
      kind text NOT NULL CHECK (kind IN ('datacenter', 'residential', 'mobile')),
      country_code text NOT NULL CHECK (country_code ~ '^[A-Z]{2}$'),
      -- True: traffic leaves from the own address of the gateway's machine.
      uses_machine boolean NOT NULL,
      UNIQUE (name, kind, country_code)
    )
  `
  yield* sql`
    CREATE TABLE exit_address (
      ip inet PRIMARY KEY CHECK (masklen(ip) = CASE family(ip) WHEN 4 THEN 32 ELSE 128 END),
      pool text NOT NULL REFERENCES exit_pool,
      -- A draining address is no longer sold. The proxies that have it keep it.
      state text NOT NULL CHECK (state IN ('on', 'draining'))
    )
  `
  yield* sql`CREATE INDEX exit_address_pool ON exit_address (pool, ip)`
  // Amounts in `options` and `price_per_gb` are integers in decimal text, as in `offer`.
  yield* sql`
    CREATE TABLE gateway_article (
      id text PRIMARY KEY CHECK (id ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
      pool text NOT NULL,
      kind text NOT NULL,
      country_code text NOT NULL,
      mode text NOT NULL,
      ip_version text NOT NULL CHECK (ip_version IN ('IPv4', 'IPv6')),
      name text NOT NULL CHECK (name <> ''),
      description text,
      locations jsonb NOT NULL CHECK (jsonb_typeof(locations) = 'array'),
      protocols jsonb NOT NULL CHECK (protocols <@ '["HTTP", "HTTPS", "SOCKS5"]' AND protocols <> '[]'),
      options jsonb NOT NULL CHECK (jsonb_typeof(options) = 'array' AND options <> '[]'),
      price_per_gb jsonb NOT NULL,
      -- The most proxies of this article that may be open at once. Null: no limit.
      open_at_most integer CHECK (open_at_most > 0),
      state text NOT NULL CHECK (state IN ('on', 'renew_only', 'off')),
      FOREIGN KEY (pool, kind, country_code) REFERENCES exit_pool (name, kind, country_code),
      CHECK (mode = CASE kind WHEN 'mobile' THEN 'rotating' ELSE 'static' END)
    )
  `
  yield* sql`CREATE INDEX gateway_article_pool ON gateway_article (pool)`
  // Money in micro-dollars; `markup` in hundredths of a percent. A null selector matches everything; a null part is not set.
  yield* sql`
    CREATE TABLE price_rule (
      vendor text,
      kind text CHECK (kind IN ('datacenter', 'residential', 'mobile')),
      country text CHECK (country ~ '^[A-Z]{2}$'),
      article text,
      days integer CHECK (days > 0),
      markup integer CHECK (markup > -10000),
      price bigint CHECK (price >= 10000),
      floor bigint CHECK (floor >= 10000),
      round bigint CHECK (round >= 10000),
      star_rate bigint CHECK (star_rate >= 0),
      hidden boolean,
      CONSTRAINT price_rule_selector UNIQUE NULLS NOT DISTINCT (vendor, kind, country, article, days)
    )
  `
  yield* sql`
    CREATE TABLE shop_state (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      -- True: the demo shop, which the service applies to an empty database.
      is_demo boolean NOT NULL,
      -- A renewal that costs more than this above the last term is announced ahead; hundredths of a percent.
      announce_above integer NOT NULL CHECK (announce_above >= 0),
      applied_at timestamptz NOT NULL
    )
  `
})

/** What an offer was made from, and the article and the pool of a proxy. Null for proxies from before. */
const columns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `source`: the answer of the provider, which price rules are applied to. Null: not synced since this migration.
  yield* sql`
    ALTER TABLE offer
      ADD COLUMN source jsonb,
      -- True: running orders of this offer can be extended. An offer on sale is renewable too.
      ADD COLUMN renewable boolean,
      -- The time of the last change of a price.
      ADD COLUMN priced_at timestamptz
  `
  yield* sql`UPDATE offer SET renewable = listed, priced_at = updated_at`
  yield* sql`
    ALTER TABLE offer
      ALTER COLUMN renewable SET NOT NULL,
      ALTER COLUMN priced_at SET NOT NULL,
      ADD CONSTRAINT offer_renewable CHECK (renewable OR NOT listed)
  `
  yield* sql`ALTER TABLE gateway_proxy ADD COLUMN article text, ADD COLUMN pool text`
  yield* sql`ALTER TABLE gateway_proxy ADD CHECK ((article IS NULL) = (pool IS NULL))`
  yield* sql`CREATE INDEX gateway_proxy_article ON gateway_proxy (article) WHERE status = 'open'`
})

/** A pool and an article keep what customers have bought: the kind, the country, and the address of a running proxy. */
const guards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION exit_pool_keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a pool keeps its kind and its country' USING ERRCODE = 'check_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER exit_pool_keep BEFORE UPDATE ON exit_pool FOR EACH ROW
    WHEN ((OLD.kind, OLD.country_code) IS DISTINCT FROM (NEW.kind, NEW.country_code)) EXECUTE FUNCTION exit_pool_keep()
  `
  yield* sql`
    CREATE FUNCTION gateway_article_keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'an article keeps its kind, its country and its IP version' USING ERRCODE = 'check_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_article_keep BEFORE UPDATE ON gateway_article FOR EACH ROW
    WHEN ((OLD.kind, OLD.country_code, OLD.ip_version) IS DISTINCT FROM (NEW.kind, NEW.country_code, NEW.ip_version))
    EXECUTE FUNCTION gateway_article_keep()
  `
  yield* sql`
    CREATE FUNCTION exit_address_keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM gateway_proxy WHERE exit_ip = OLD.ip AND pool = OLD.pool AND status = 'open') THEN
        RAISE EXCEPTION 'an open proxy has the exit address %', host(OLD.ip) USING ERRCODE = 'check_violation';
      END IF;
      RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END $$
  `
  yield* sql`
    CREATE TRIGGER exit_address_keep BEFORE DELETE OR UPDATE OF ip, pool ON exit_address
    FOR EACH ROW EXECUTE FUNCTION exit_address_keep()
  `
  yield* sql`
    CREATE FUNCTION gateway_proxy_exit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (
        SELECT FROM exit_pool p WHERE p.name = NEW.pool AND CASE
          WHEN NEW.exit_ip IS NULL THEN p.uses_machine
          ELSE EXISTS (SELECT FROM exit_address a WHERE a.ip = NEW.exit_ip AND a.pool = NEW.pool)
        END
      ) THEN
        RAISE EXCEPTION 'the exit address of a proxy belongs to its pool' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_proxy_exit AFTER INSERT OR UPDATE OF exit_ip, pool ON gateway_proxy
    FOR EACH ROW WHEN (NEW.pool IS NOT NULL) EXECUTE FUNCTION gateway_proxy_exit()
  `
})

export default Effect.all([tables, columns, guards], { discard: true })
