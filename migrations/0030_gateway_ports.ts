import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The ports that gateway processes listen on. A process counts while it holds the advisory lock of its id, which ends
 * with its connection. So a port is sold only while a gateway has it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE gateway_holder (
      id uuid PRIMARY KEY,
      -- Host and address: processes of one place share its ports, and each place needs a port of its own number.
      place text NOT NULL CHECK (place <> '')
    )
  `
  yield* sql`
    CREATE TABLE gateway_port (
      port integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
      holder_id uuid NOT NULL REFERENCES gateway_holder (id) ON DELETE CASCADE,
      PRIMARY KEY (port, holder_id)
    )
  `
  yield* sql`CREATE INDEX gateway_port_holder ON gateway_port (holder_id)`
})
