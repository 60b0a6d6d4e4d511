import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import type { GatewayProxyId } from "./GatewayProxy.ts"
import { RefusedConnections } from "./RefusedConnections.ts"

const refused = Rows.all(RefusedConnections)

/** The database keeps at most 100 for a proxy. */
const most = 100

/** Reads the refusals of a proxy for its owner. */
export class RefusedConnectionsRepo extends Context.Service<RefusedConnectionsRepo>()(
  "app/gateway/RefusedConnectionsRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        /** Lists the refusals of a proxy, the newest first. */
        refusals: (id: GatewayProxyId) =>
          refused(sql`
            SELECT reason, host(source) AS source_ip, host, port, least(count, 2147483647)::int AS count, first_at, last_at
            FROM gateway_refusal WHERE proxy_id = ${id} ORDER BY last_at DESC, reason, source, host, port LIMIT ${most}
          `)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
