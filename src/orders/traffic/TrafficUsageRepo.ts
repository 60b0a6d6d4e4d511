import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StatementPart } from "../../platform/postgres/Atomically.ts"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { OrderId } from "../Order.ts"
import type { ProxyFilter } from "../OrderFilter.ts"
import { matching } from "../OrderListsRepo.ts"

/** The provisioned proxies of one provider. */
const MeteredProxies = Schema.Struct({
  provider: Schema.String,
  ids: Schema.Array(Schema.String),
  /** The sum of their traffic limits in GB (10^9 bytes); null when one proxy is unlimited. */
  limit_gb: Schema.NullOr(Schema.Finite)
})
export type MeteredProxies = typeof MeteredProxies.Type

const readProxies = Rows.all(MeteredProxies)

export class TrafficUsageRepo extends Context.Service<TrafficUsageRepo>()("app/orders/TrafficUsageRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const metered = (which: StatementPart) =>
      sql`
        SELECT provider, array_agg(provider_proxy_id) AS ids,
          CASE WHEN bool_and(bandwidth_gb IS NOT NULL) THEN sum(bandwidth_gb) END AS limit_gb
        FROM proxy_order WHERE ${which} AND provider_proxy_id IS NOT NULL
        GROUP BY provider
      `.pipe(readProxies)

    return {
      ofOrder: (id: OrderId) => metered(sql.and([sql`id = ${id}`])),

      /** The proxies that had not ended before `from`. */
      ofUser: (user: UserId, filter: ProxyFilter, from: DateTime.Utc) =>
        metered(sql.and([matching(sql, user, filter), sql`expires_at > ${DateTime.toDate(from)}`]))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
