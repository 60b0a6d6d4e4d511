import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One row per spending request, inserted in the transaction that charges. `reference` names the charged order or
  // change; `answer` is set once the request has been answered.
  yield* sql`
    CREATE TABLE idempotency_key (
      user_id uuid NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
      operation text NOT NULL,
      key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
      request_hash text NOT NULL,
      reference jsonb NOT NULL,
      answer jsonb,
      busy_until timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (user_id, operation, key)
    )
  `
  yield* sql`CREATE INDEX idempotency_key_expiry ON idempotency_key (expires_at)`
})
