import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import { GatewayProxyId } from "./GatewayProxy.ts"

const proxies = Rows.all(Schema.Struct({ id: GatewayProxyId }))

export class GatewayRotationsRepo extends Context.Service<GatewayRotationsRepo>()("app/gateway/GatewayRotationsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Lists the open proxies whose interval has passed, the longest ago first. */
      due: (now: DateTime.Utc, limit: number) =>
        proxies(sql`
          SELECT id FROM gateway_proxy
          WHERE status = 'open' AND rotate_at <= ${DateTime.toDate(now)} AND expires_at > ${DateTime.toDate(now)}
          ORDER BY rotate_at LIMIT ${limit}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
