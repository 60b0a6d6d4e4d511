import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Finds the proxies that were closed before their end, so that their orders end within a minute too. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX gateway_proxy_closed_early ON gateway_proxy (expires_at) WHERE status = 'closed'`
})
