import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { OrderId } from "./Order.ts"
import type { ProxyFilter } from "./OrderFilter.ts"
import { matching } from "./OrderListsRepo.ts"

const MeteredProxyRow = Schema.Struct({
  provider: Schema.String,
  provider_proxy_id: Schema.String,
  bandwidth_gb: Schema.NullOr(Schema.Finite),
  cycles: Schema.Array(Schema.DateTimeUtcFromDate)
})

const decode = Schema.decodeUnknownEffect(Schema.Array(MeteredProxyRow))

/** Proxies that were handed out, with the beginnings of their cycles: at provisioning and at each restart. */
export class TrafficUsageRepo extends Context.Service<TrafficUsageRepo>()("app/orders/TrafficUsageRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const metered = (which: ReturnType<typeof sql.and>) =>
      sql`
        SELECT provider, provider_proxy_id, bandwidth_gb, ARRAY(
          SELECT created_at UNION SELECT cycle_started_at UNION
          SELECT coalesce(c.attempted_at, c.updated_at) FROM proxy_change c
          WHERE c.order_id = proxy_order.id AND c.kind = 'restart' AND c.status = 'applied'
          ORDER BY 1
        ) AS cycles
        FROM proxy_order WHERE ${which} AND provider_proxy_id IS NOT NULL
      `.pipe(Effect.flatMap(decode), Effect.orDie)

    return {
      ofOrder: (id: OrderId) => metered(sql.and([sql`id = ${id}`])),

      /** Those that had not ended before `from`. */
      ofUser: (user: UserId, filter: ProxyFilter, from: DateTime.Utc) =>
        metered(sql.and([matching(sql, user, filter), sql`expires_at > ${DateTime.toDate(from)}`]))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
