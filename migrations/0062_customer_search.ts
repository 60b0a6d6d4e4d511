import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Finds the customer of a vendor's proxy by its address. The gateway's proxies are found by their port. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`CREATE INDEX proxy_order_address ON proxy_order (host, port) WHERE provider <> 'gateway' AND host IS NOT NULL`
)
