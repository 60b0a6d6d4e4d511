import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A session that a browser keeps in a cookie; it ends with the session. Only the SHA-256 of the cookie is stored. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE browser_session (
      token_hash text PRIMARY KEY CHECK (token_hash ~ '^[0-9a-f]{64}$'),
      session_id uuid NOT NULL UNIQUE REFERENCES user_session (id) ON DELETE CASCADE
    )
  `
})
