import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A deleted account uses nothing: its proxies of the built-in gateway close with the deletion. A job ends its orders
 * and returns the proxies of other providers.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Deleted accounts that may have orders left to end.
  yield* sql`
    CREATE TABLE account_closure (
      user_id uuid PRIMARY KEY REFERENCES user_account (id),
      due_at timestamptz NOT NULL,
      -- The orders up to here have been tried in this round.
      tried_to uuid
    )
  `
  yield* sql`CREATE INDEX account_closure_due ON account_closure (due_at)`
  yield* sql`
    INSERT INTO account_closure (user_id, due_at)
    SELECT id, deleted_at FROM user_account a WHERE deleted_at IS NOT NULL AND EXISTS (
      SELECT FROM proxy_order o WHERE o.user_id = a.id AND o.status IN ('new', 'waiting_payment', 'paid', 'provisioned')
    )
  `
  yield* sql`
    CREATE FUNCTION account_closure_begin() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      proxies uuid[];
    BEGIN
      -- Locked in the order of their ids, as traffic reports lock them.
      SELECT array_agg(id) INTO proxies FROM (
        SELECT p.id FROM gateway_proxy p JOIN proxy_order o ON o.id = p.reference
        WHERE o.user_id = NEW.id AND p.status = 'open' ORDER BY p.id FOR UPDATE OF p
      ) open;
      UPDATE gateway_proxy SET status = 'closed', updated_at = NEW.deleted_at
      WHERE id = ANY (proxies) AND status = 'open';
      INSERT INTO account_closure (user_id, due_at) VALUES (NEW.id, NEW.deleted_at) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER account_closure_begin AFTER UPDATE OF deleted_at ON user_account
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION account_closure_begin()
  `
})
