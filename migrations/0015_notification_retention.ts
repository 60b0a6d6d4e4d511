import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX notification_read ON notification (read_at) WHERE read_at IS NOT NULL`
  yield* sql`CREATE INDEX notification_unread ON notification (created_at) WHERE read_at IS NULL`
})
