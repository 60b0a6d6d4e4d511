import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What `shop plan` reads about orders beside the sales, and what an offer that nobody has ordered leaves behind. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Without it, counting the running orders of an offer reads all orders.
  yield* sql`CREATE INDEX proxy_order_of_offer ON proxy_order (offer_id, proxy_status)`
  yield* sql`CREATE INDEX gateway_proxy_pool ON gateway_proxy (pool) WHERE status = 'open'`
  // An article that nobody has ordered may become another one. Its offer then ends with its quotes.
  yield* sql`
    ALTER TABLE quoted_price
      DROP CONSTRAINT quoted_price_offer_id_fkey,
      ADD CONSTRAINT quoted_price_offer_id_fkey FOREIGN KEY (offer_id) REFERENCES offer (id) ON DELETE CASCADE
  `
})
