import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A row without a user applies to the whole platform.
  yield* sql`
    CREATE TABLE flag_override (
      user_id uuid REFERENCES user_account (id) ON DELETE CASCADE,
      name text NOT NULL CHECK (
        name IN ('isp.city.enable', 'ip_reputation.check.enabled', 'orders.mobile.extend.too_early_guard')
      ),
      enabled boolean NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CONSTRAINT flag_override_one_each UNIQUE NULLS NOT DISTINCT (user_id, name)
    )
  `
})
