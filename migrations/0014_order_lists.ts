import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The indexes alone find every page under every filter; only the orders of the page are read. */
const pages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX proxy_order_of_user`
  yield* sql`
    CREATE INDEX proxy_order_of_user ON proxy_order (user_id, created_at DESC, id DESC) INCLUDE (proxy_type)
  `
  yield* sql`
    CREATE INDEX proxy_order_of_user_in_status ON proxy_order (user_id, status, created_at DESC, id DESC)
    INCLUDE (proxy_type, proxy_status)
  `
  // An index alone answers for pages of the table that were vacuumed since their last change.
  yield* sql`
    ALTER TABLE proxy_order SET (
      autovacuum_vacuum_scale_factor = 0.01,
      autovacuum_vacuum_insert_scale_factor = 0.01,
      autovacuum_analyze_scale_factor = 0.01
    )
  `
})

/**
 * The number of an account's orders of each kind and status, by the month of the order (UTC). Counting them for each
 * request takes too long for large accounts, and one counter would make every change of an account's orders wait for
 * the others: so changes are noted beside the tally and added to it later. The true count is the sum of both.
 */
const tallies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE order_tally (
      user_id uuid NOT NULL,
      month timestamptz NOT NULL CHECK (date_trunc('month', month, 'UTC') = month),
      proxy_type text NOT NULL,
      status text NOT NULL,
      proxy_status text NOT NULL,
      orders integer NOT NULL CHECK (orders > 0),
      PRIMARY KEY (user_id, month, proxy_type, status, proxy_status)
    )
  `
  yield* sql`
    CREATE TABLE order_tally_change (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id uuid NOT NULL,
      month timestamptz NOT NULL,
      proxy_type text NOT NULL,
      status text NOT NULL,
      proxy_status text NOT NULL,
      orders integer NOT NULL
    )
  `
  yield* sql`CREATE INDEX order_tally_change_of_user ON order_tally_change (user_id)`
})

/** The database itself notes every change of an order. */
const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION order_tally_insert() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO order_tally_change (user_id, month, proxy_type, status, proxy_status, orders)
      SELECT user_id, date_trunc('month', created_at, 'UTC'), proxy_type, status, proxy_status, count(*)
      FROM inserted GROUP BY 1, 2, 3, 4, 5;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER order_tally_insert AFTER INSERT ON proxy_order REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION order_tally_insert()
  `
  yield* sql`
    CREATE FUNCTION order_tally_update() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO order_tally_change (user_id, month, proxy_type, status, proxy_status, orders) VALUES
        (OLD.user_id, date_trunc('month', OLD.created_at, 'UTC'), OLD.proxy_type, OLD.status, OLD.proxy_status, -1),
        (NEW.user_id, date_trunc('month', NEW.created_at, 'UTC'), NEW.proxy_type, NEW.status, NEW.proxy_status, 1);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER order_tally_update AFTER UPDATE OF user_id, created_at, proxy_type, status, proxy_status ON proxy_order
    FOR EACH ROW WHEN (
      (OLD.user_id, OLD.created_at, OLD.proxy_type, OLD.status, OLD.proxy_status)
      IS DISTINCT FROM (NEW.user_id, NEW.created_at, NEW.proxy_type, NEW.status, NEW.proxy_status)
    ) EXECUTE FUNCTION order_tally_update()
  `
  yield* sql`
    CREATE FUNCTION order_tally_delete() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO order_tally_change (user_id, month, proxy_type, status, proxy_status, orders)
      SELECT user_id, date_trunc('month', created_at, 'UTC'), proxy_type, status, proxy_status, -count(*)
      FROM deleted GROUP BY 1, 2, 3, 4, 5;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER order_tally_delete AFTER DELETE ON proxy_order REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION order_tally_delete()
  `
  // An order that is removed without a note would stay in the tallies.
  yield* sql`
    CREATE FUNCTION proxy_order_keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'orders are never truncated' USING ERRCODE = 'check_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_order_keep BEFORE TRUNCATE ON proxy_order FOR EACH STATEMENT EXECUTE FUNCTION proxy_order_keep()
  `
  yield* sql`
    INSERT INTO order_tally (user_id, month, proxy_type, status, proxy_status, orders)
    SELECT user_id, date_trunc('month', created_at, 'UTC'), proxy_type, status, proxy_status, count(*)
    FROM proxy_order GROUP BY 1, 2, 3, 4, 5
  `
})

export default Effect.all([pages, tallies, notes], { discard: true })
