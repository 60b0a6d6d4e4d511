import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The internet provider that an offer names: an order may ask for it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE offer ADD COLUMN isp text CHECK (char_length(isp) BETWEEN 1 AND 100)`
})
