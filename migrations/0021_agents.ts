import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Agents that registered themselves, and the people who may claim them (docs/contract.md, "Agents"). */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE agent_registration (
      id text PRIMARY KEY CHECK (id LIKE 'reg\\_%'),
      user_id uuid NOT NULL UNIQUE REFERENCES user_account (id),
      api_key_id uuid REFERENCES api_key (id) ON DELETE SET NULL,
      claim_token_hash text NOT NULL UNIQUE CHECK (claim_token_hash ~ '^[0-9a-f]{64}$'),
      claim_token_expires_at timestamptz NOT NULL,
      claimed_at timestamptz,
      created_at timestamptz NOT NULL
    )
  `
  yield* sql`CREATE UNIQUE INDEX agent_registration_key ON agent_registration (api_key_id)`
  // A job looks through unclaimed agents by age.
  yield* sql`CREATE INDEX user_account_anonymous ON user_account (created_at) WHERE is_anonymous AND deleted_at IS NULL`
})
