import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The secret before the last rotation is valid for a time that the owner chose, and is erased afterwards. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE webhook_endpoint
      ADD COLUMN previous_secret text CHECK (previous_secret ~ '^whsec_[0-9a-f]{64}$'),
      ADD COLUMN previous_secret_ends_at timestamptz,
      ADD CHECK ((previous_secret IS NULL) = (previous_secret_ends_at IS NULL)),
      ADD CHECK (previous_secret <> signing_secret)
  `
  yield* sql`
    CREATE INDEX webhook_endpoint_overlap ON webhook_endpoint (previous_secret_ends_at)
    WHERE previous_secret_ends_at IS NOT NULL
  `
})
