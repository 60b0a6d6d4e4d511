import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The articles of the gateway, their exit addresses, and the price rules: the operator's data, which `shop apply` writes. */
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
      position integer NOT NULL,
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

/** The source of an offer, and the article and the pool of a proxy; null for a proxy that is older than the shop. */
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
  yield* sql`CREATE INDEX gateway_proxy_exit ON gateway_proxy (exit_ip) WHERE status = 'open'`
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
      IF NOT (CASE
        WHEN NEW.exit_ip IS NULL THEN EXISTS (SELECT FROM exit_pool p WHERE p.name = NEW.pool AND p.uses_machine)
        ELSE EXISTS (SELECT FROM exit_address a WHERE a.ip = NEW.exit_ip AND a.pool = NEW.pool)
      END) THEN
        RAISE EXCEPTION 'the exit address of a proxy belongs to its pool' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_proxy_exit AFTER INSERT ON gateway_proxy
    FOR EACH ROW WHEN (NEW.pool IS NOT NULL) EXECUTE FUNCTION gateway_proxy_exit()
  `
  // A proxy that leaves from the machine's address keeps doing so when its pool gets addresses.
  yield* sql`
    CREATE TRIGGER gateway_proxy_next_exit AFTER UPDATE OF exit_ip ON gateway_proxy
    FOR EACH ROW WHEN (NEW.pool IS NOT NULL AND NEW.exit_ip IS DISTINCT FROM OLD.exit_ip)
    EXECUTE FUNCTION gateway_proxy_exit()
  `
})

/** The stock of each article, and the catalog that shows in the same transaction when the last one is sold. */
const stock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A static proxy has an address of its own; mobile proxies share the addresses of their pool.
  yield* sql`
    CREATE VIEW gateway_stock AS
    WITH free AS MATERIALIZED (
      SELECT pool, family(ip) AS family, count(*)::int AS addresses, count(*) FILTER (WHERE NOT EXISTS (
        SELECT FROM gateway_proxy p WHERE p.exit_ip = a.ip AND p.status = 'open' AND p.kind <> 'mobile'
      ))::int AS unsold
      FROM exit_address a WHERE state = 'on' GROUP BY 1, 2
    )
    SELECT a.id AS article, CASE WHEN a.state = 'on' THEN least(
      CASE WHEN a.open_at_most IS NOT NULL THEN greatest(0, a.open_at_most - (
        SELECT count(*)::int FROM gateway_proxy p WHERE p.article = a.id AND p.status = 'open'
      )) END,
      CASE
        WHEN p.uses_machine OR (a.kind = 'mobile' AND free.addresses > 0) THEN NULL
        WHEN a.kind = 'mobile' THEN 0
        ELSE coalesce(free.unsold, 0)
      END
    ) ELSE 0 END AS "left"
    FROM gateway_article a JOIN exit_pool p ON p.name = a.pool
    LEFT JOIN free ON free.pool = a.pool AND free.family = CASE a.ip_version WHEN 'IPv4' THEN 4 ELSE 6 END
  `
  // Every change of offers locks the version of the catalog first.
  yield* sql`
    CREATE FUNCTION gateway_stock_ended() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      is_full boolean := EXISTS (
        -- Without a limit nothing is counted.
        SELECT FROM gateway_article a WHERE a.id = NEW.article AND CASE WHEN a.open_at_most IS NOT NULL THEN
          a.open_at_most <= (SELECT count(*) FROM gateway_proxy p WHERE p.article = a.id AND p.status = 'open')
        END
      );
      -- The articles of a pool and an IP version sell the same addresses, so these are looked through once.
      is_last boolean := NEW.exit_ip IS NOT NULL AND NEW.kind <> 'mobile' AND NOT EXISTS (
        SELECT FROM exit_address e
        WHERE e.pool = NEW.pool AND e.state = 'on' AND family(e.ip) = family(NEW.exit_ip) AND NOT EXISTS (
          SELECT FROM gateway_proxy p WHERE p.exit_ip = e.ip AND p.status = 'open' AND p.kind <> 'mobile'
        )
      );
    BEGIN
      IF NOT is_full AND NOT is_last THEN
        RETURN NULL;
      END IF;
      -- A sync that is about to show the offer as available ends first.
      PERFORM FROM catalog_version FOR UPDATE;
      UPDATE offer o SET is_available = false, updated_at = NEW.created_at FROM gateway_article a
      WHERE o.provider = 'gateway' AND o.external_id = a.id AND o.is_available
        AND (is_full AND a.id = NEW.article OR is_last AND a.pool = NEW.pool AND a.ip_version = NEW.ip_version);
      IF FOUND THEN
        UPDATE catalog_version SET version = version + 1, changed_at = NEW.created_at;
        PERFORM pg_notify('catalog_changed', '');
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_stock_ended AFTER INSERT ON gateway_proxy
    FOR EACH ROW WHEN (NEW.pool IS NOT NULL) EXECUTE FUNCTION gateway_stock_ended()
  `
})

export default Effect.all([tables, columns, guards, stock], { discard: true })
