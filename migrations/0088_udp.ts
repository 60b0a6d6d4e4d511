import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** UDP over SOCKS5, as a term of an article and of the proxies that are opened from it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE gateway_article ADD COLUMN udp boolean NOT NULL DEFAULT false`
  yield* sql`ALTER TABLE gateway_proxy ADD COLUMN udp boolean NOT NULL DEFAULT false`
})
