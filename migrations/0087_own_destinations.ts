import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The rules of owners about the destinations of their proxies, in the row that gateways read. */
const rules = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE gateway_proxy
      -- [{action, first_port, last_port, network, host_suffix}]
      ADD COLUMN destinations jsonb NOT NULL DEFAULT '[]',
      ADD CONSTRAINT gateway_proxy_destinations CHECK (
        CASE WHEN jsonb_typeof(destinations) = 'array' THEN jsonb_array_length(destinations) <= 50 ELSE false END
      )
  `
  // Beside the trigger of the other columns: the revision counts from the old row, so both together raise it once.
  yield* sql`
    CREATE TRIGGER gateway_proxy_revise_destinations BEFORE UPDATE OF destinations ON gateway_proxy
    FOR EACH ROW WHEN (OLD.destinations IS DISTINCT FROM NEW.destinations) EXECUTE FUNCTION gateway_proxy_revise()
  `
})

/** The history of an order names the change of these rules. */
const history = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE order_event
      DROP CONSTRAINT order_event_kind,
      ADD CONSTRAINT order_event_kind CHECK (kind IN ('whitelist', 'credentials', 'protocol', 'rotated', 'signature',
        'destinations', 'released', 'auto_renew_on', 'auto_renew_off', 'renewal_failed'))
  `
})

export default Effect.all([rules, history], { discard: true })
