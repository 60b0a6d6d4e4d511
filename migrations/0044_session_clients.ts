import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The client of a session, so that its owner recognises it. All columns are null for a session that is older than them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE user_session
      ADD COLUMN user_agent text CHECK (length(user_agent) BETWEEN 1 AND 400),
      -- An IPv4 address, or the /64 network of an IPv6 address.
      ADD COLUMN address text CHECK (length(address) <= 64),
      ADD COLUMN last_used_at timestamptz
  `
})
