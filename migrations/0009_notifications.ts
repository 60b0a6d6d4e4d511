import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE notification (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      kind text NOT NULL CHECK (kind IN ('proxy_expiring', 'proxy_renewed', 'renewal_failed', 'deposit_credited',
        'provisioning_failed', 'change_failed', 'proxy_reduced', 'proxy_ended')),
      order_id uuid,
      message text NOT NULL CHECK (message <> ''),
      created_at timestamptz NOT NULL,
      read_at timestamptz CHECK (read_at >= created_at)
    )
  `
  yield* sql`CREATE INDEX notification_of_user ON notification (user_id, created_at DESC, id DESC)`
})
