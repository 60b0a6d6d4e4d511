import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The bandwidth and the open connections that an article and a proxy of it have. Null: only the limits of the gateway. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE gateway_article
      -- In each direction, in megabits a second.
      ADD COLUMN rate_mbps integer CHECK (rate_mbps BETWEEN 1 AND 10000),
      ADD COLUMN max_connections integer CHECK (max_connections BETWEEN 1 AND 1000)
  `
  yield* sql`
    ALTER TABLE gateway_proxy
      -- In each direction, in bits a second.
      ADD COLUMN rate_bps bigint CHECK (rate_bps >= 1000000),
      ADD COLUMN max_connections integer CHECK (max_connections BETWEEN 1 AND 1000)
  `
  // The function sets the revision from the one before, so it is harmless beside the trigger of the other columns.
  yield* sql`
    CREATE TRIGGER gateway_proxy_revise_limits BEFORE UPDATE OF rate_bps, max_connections
    ON gateway_proxy FOR EACH ROW EXECUTE FUNCTION gateway_proxy_revise()
  `
})
