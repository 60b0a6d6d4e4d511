import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What an order and a proxy change cost the operator, in micro-dollars. Null: unknown. Never changes after the purchase. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE proxy_order ADD COLUMN cost_usd bigint CHECK (cost_usd >= 0)`
  yield* sql`ALTER TABLE proxy_change ADD COLUMN cost_usd bigint CHECK (cost_usd >= 0)`
})
