import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE promo_code (
      id uuid PRIMARY KEY,
      code text NOT NULL CHECK (code ~ '^[A-Z0-9-]{3,40}$'),
      kind text NOT NULL CHECK (kind IN ('percent', 'fixed')),
      -- Percent, or micro-dollars.
      value bigint NOT NULL CHECK (value > 0),
      valid_from timestamptz,
      expires_at timestamptz CHECK (expires_at > valid_from),
      use_limit integer CHECK (use_limit > 0),
      account_limit integer NOT NULL CHECK (account_limit > 0),
      offer_ids integer[] CHECK (cardinality(offer_ids) > 0 AND array_position(offer_ids, NULL) IS NULL),
      disabled_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CONSTRAINT promo_code_code UNIQUE (code),
      CHECK (kind <> 'percent' OR value <= 100)
    )
  `

  // A request uses its code once, for all its orders: rows with one use_id. The use counts while one of them is neither
  // released nor removed with its order.
  yield* sql`
    CREATE TABLE promo_code_use (
      order_id uuid PRIMARY KEY REFERENCES proxy_order (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
      promo_code_id uuid NOT NULL REFERENCES promo_code (id),
      user_id uuid NOT NULL REFERENCES user_account (id),
      use_id uuid NOT NULL,
      released_at timestamptz,
      created_at timestamptz NOT NULL,
      UNIQUE (order_id, promo_code_id)
    )
  `
  yield* sql`
    CREATE INDEX promo_code_use_counted ON promo_code_use (promo_code_id, user_id, use_id) WHERE released_at IS NULL
  `
  yield* sql`
    ALTER TABLE proxy_order
      ADD CONSTRAINT proxy_order_discount_has_code
        CHECK (promo_code_id IS NOT NULL OR (discount = 0 AND discount_usd = 0)),
      ADD CONSTRAINT proxy_order_uses_code FOREIGN KEY (id, promo_code_id)
        REFERENCES promo_code_use (order_id, promo_code_id) DEFERRABLE INITIALLY DEFERRED
  `
  yield* guards
})

const guards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The lock makes uses of one code wait for each other; the next statement sees the committed uses.
  yield* sql`
    CREATE FUNCTION promo_code_use_check() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM FROM promo_code WHERE id IN (SELECT promo_code_id FROM added) ORDER BY id FOR NO KEY UPDATE;
      IF EXISTS (
        SELECT FROM added a JOIN promo_code c ON c.id = a.promo_code_id
        WHERE c.disabled_at IS NOT NULL OR a.created_at < c.valid_from OR a.created_at >= c.expires_at
      ) THEN
        RAISE EXCEPTION 'a promo code is used while it is valid' USING ERRCODE = 'check_violation';
      END IF;
      IF EXISTS (
        SELECT FROM (SELECT DISTINCT promo_code_id, user_id FROM added) a JOIN promo_code c ON c.id = a.promo_code_id
        WHERE c.use_limit < CASE WHEN c.use_limit IS NOT NULL THEN (
          SELECT count(DISTINCT use_id) FROM promo_code_use WHERE promo_code_id = c.id AND released_at IS NULL
        ) END OR c.account_limit < (
          SELECT count(DISTINCT use_id) FROM promo_code_use
          WHERE promo_code_id = c.id AND user_id = a.user_id AND released_at IS NULL
        )
      ) THEN
        RAISE EXCEPTION 'a promo code is used as often as its limits allow' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER promo_code_use_within_limits AFTER INSERT ON promo_code_use
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION promo_code_use_check()
  `
  yield* sql`
    CREATE FUNCTION promo_code_use_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the use of a promo code is released once' USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER promo_code_use_releases_once BEFORE UPDATE ON promo_code_use
    FOR EACH ROW WHEN (
      OLD.released_at IS NOT NULL
      OR (NEW.order_id, NEW.promo_code_id, NEW.user_id, NEW.use_id, NEW.created_at)
        IS DISTINCT FROM (OLD.order_id, OLD.promo_code_id, OLD.user_id, OLD.use_id, OLD.created_at)
    ) EXECUTE FUNCTION promo_code_use_refuse()
  `
})
