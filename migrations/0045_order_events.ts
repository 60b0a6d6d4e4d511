import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The free changes of a proxy, for its owner: purchases, extensions and the end of a proxy are on record elsewhere. Rows
 * are bounded: the database keeps the last 20 of each kind for an order. They are erased with the account.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE order_event (
      id uuid PRIMARY KEY,
      order_id uuid NOT NULL REFERENCES proxy_order (id),
      kind text NOT NULL
        CHECK (kind IN ('whitelist', 'credentials', 'protocol', 'rotated', 'signature', 'released')),
      -- The credential of the person or program that made the change.
      actor text NOT NULL CHECK (actor IN ('session', 'api_key', 'oauth')),
      -- The id of the API key or of the OAuth client.
      actor_id text,
      occurred_at timestamptz NOT NULL,
      CHECK ((actor = 'session') = (actor_id IS NULL))
    )
  `
  yield* sql`ALTER TABLE proxy_order ADD CONSTRAINT proxy_order_notes CHECK (char_length(notes) <= 1000)`
  yield* sql`CREATE INDEX order_event_of_order ON order_event (order_id, kind, occurred_at)`
  yield* sql`
    CREATE FUNCTION order_event_bound() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM order_event WHERE id IN (
        SELECT id FROM order_event WHERE order_id = NEW.order_id AND kind = NEW.kind
        ORDER BY occurred_at DESC, id DESC OFFSET 20
      );
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER order_event_bound AFTER INSERT ON order_event FOR EACH ROW EXECUTE FUNCTION order_event_bound()
  `
  yield* sql`
    CREATE FUNCTION order_event_erase() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM order_event e USING proxy_order o WHERE o.id = e.order_id AND o.user_id = NEW.id;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER order_event_erase AFTER UPDATE OF deleted_at ON user_account
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION order_event_erase()
  `
})
