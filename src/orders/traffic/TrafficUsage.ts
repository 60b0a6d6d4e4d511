import { Array as Arr, Context, DateTime, Effect, Layer } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Providers } from "../../provider/Providers.ts"
import type { Order } from "../Order.ts"
import { TrafficUnavailable } from "./TrafficErrors.ts"
import type { ProxyFilter } from "../OrderFilter.ts"
import { pointsOf, type TrafficPeriod, windowOf } from "./TrafficPoints.ts"
import { type MeteredProxies, TrafficUsageRepo } from "./TrafficUsageRepo.ts"
import { trafficUsageView, type TrafficUsageView } from "./TrafficUsageView.ts"

/** Maximum number of proxies in one call of a provider. */
const batch = 5_000
const concurrency = 2
const timeout = "5 seconds"

/** The sum of the limits; null when one proxy is unlimited. */
const limitOf = (owned: ReadonlyArray<MeteredProxies>) =>
  owned.reduce<number | null>((sum, { limit_gb }) => (sum === null || limit_gb === null ? null : sum + limit_gb), 0)

/** The traffic of proxies, as their providers report it. A provider that reports none counts as 0. */
export class TrafficUsage extends Context.Service<
  TrafficUsage,
  {
    readonly ofOrder: (order: Order, period: TrafficPeriod) => Effect.Effect<TrafficUsageView, TrafficUnavailable>
    /** The sum over all proxies of the account that existed in the period. */
    readonly ofUser: (
      user: UserId,
      period: TrafficPeriod,
      filter: ProxyFilter
    ) => Effect.Effect<TrafficUsageView, TrafficUnavailable>
  }
>()("app/orders/TrafficUsage") {
  static readonly layerNoDeps = Layer.effect(
    TrafficUsage,
    Effect.gen(function* () {
      const providers = yield* Providers
      const repo = yield* TrafficUsageRepo

      const usage = Effect.fnUntraced(
        function* (
          period: TrafficPeriod,
          proxiesSince: (from: DateTime.Utc) => Effect.Effect<ReadonlyArray<MeteredProxies>>
        ) {
          const window = windowOf(period, yield* DateTime.now)
          const owned = yield* proxiesSince(window.from)
          const calls = owned.flatMap(({ ids, provider }) => {
            const { traffic } = providers.get(provider) ?? {}
            return traffic === undefined ? [] : Arr.map(Arr.chunksOf(ids, batch), (some) => traffic(some, window))
          })
          const sums = yield* Effect.all(calls, { concurrency })
          return trafficUsageView(period, window, pointsOf(window, sums.flat()), limitOf(owned))
        },
        Effect.timeout(timeout),
        Effect.mapError(() => new TrafficUnavailable())
      )

      const ofOrder = Effect.fn("TrafficUsage.ofOrder")((order: Order, period: TrafficPeriod) =>
        usage(period, () => repo.ofOrder(order.id))
      )

      const ofUser = Effect.fn("TrafficUsage.ofUser")((user: UserId, period: TrafficPeriod, filter: ProxyFilter) =>
        usage(period, (from) => repo.ofUser(user, filter, from))
      )

      return TrafficUsage.of({ ofOrder, ofUser })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(TrafficUsageRepo.layer))
}
