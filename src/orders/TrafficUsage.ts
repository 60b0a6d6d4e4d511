import { Array as Arr, Context, DateTime, Effect, Layer, Order as Ordering } from "effect"
import type { UserId } from "../accounts/User.ts"
import { Providers } from "../provider/Providers.ts"
import type { Order } from "./Order.ts"
import { TrafficUnavailable } from "./OrderErrors.ts"
import type { ProxyFilter } from "./OrderFilter.ts"
import {
  add,
  type MeteredProxy,
  pointsOf,
  readFrom,
  type TrafficPeriod,
  type TrafficWindow,
  windowOf
} from "./TrafficPoints.ts"
import { TrafficUsageRepo } from "./TrafficUsageRepo.ts"
import { toGb, trafficUsage, type TrafficUsageView } from "./TrafficUsageView.ts"

/** One call of a provider asks for at most so many proxies, and so many hours of all of them together. */
const batch = { proxies: 1000, hours: 250_000 }
const concurrency = 2
const timeout = "5 seconds"

const hour = 3_600_000

interface Batch {
  readonly provider: string
  readonly proxies: Arr.NonEmptyReadonlyArray<MeteredProxy>
  readonly since: number
}

/** Proxies of one provider whose traffic is read from about the same time on. */
const batchesOf = (window: TrafficWindow, proxies: ReadonlyArray<MeteredProxy>): ReadonlyArray<Batch> =>
  Object.entries(Arr.groupBy(proxies, ({ provider }) => provider)).flatMap(([provider, all]) => {
    const sorted = Arr.sortWith(all, (proxy) => readFrom(window, proxy), Ordering.Number)
    const batches: Array<Batch> = []
    for (let rest: ReadonlyArray<MeteredProxy> = sorted; Arr.isReadonlyArrayNonEmpty(rest);) {
      const since = readFrom(window, rest[0])
      const size = Math.min(batch.proxies, Math.max(1, Math.floor(batch.hours / ((window.to - since) / hour))))
      const [taken, left] = Arr.splitAtNonEmpty(rest, size)
      batches.push({ provider, proxies: taken, since })
      rest = left
    }
    return batches
  })

/** How much traffic proxies have used, as their providers metered it; nothing, where a provider does not say. */
export class TrafficUsage extends Context.Service<
  TrafficUsage,
  {
    readonly ofOrder: (order: Order, period: TrafficPeriod) => Effect.Effect<TrafficUsageView, TrafficUnavailable>
    /** Of all the account's proxies that existed in the period. */
    readonly ofUser: (
      user: UserId,
      period: TrafficPeriod,
      filter: ProxyFilter
    ) => Effect.Effect<TrafficUsageView, TrafficUnavailable>
    /** Traffic of the running cycle in GB; null when the provider does not say. */
    readonly usedInCycle: (order: Order) => Effect.Effect<number | null>
  }
>()("app/orders/TrafficUsage") {
  static readonly layerNoDeps = Layer.effect(
    TrafficUsage,
    Effect.gen(function* () {
      const providers = yield* Providers
      const repo = yield* TrafficUsageRepo

      const hourly = (provider: string, ids: ReadonlyArray<string>, since: DateTime.Utc) =>
        providers.get(provider)?.traffic?.(ids, since) ?? Effect.succeed([])

      const usage = Effect.fnUntraced(
        function* (window: TrafficWindow, proxies: ReadonlyArray<MeteredProxy>) {
          const parts = yield* Effect.forEach(
            batchesOf(window, proxies),
            ({ provider, proxies, since }) =>
              Effect.map(
                hourly(
                  provider,
                  proxies.map(({ provider_proxy_id }) => provider_proxy_id),
                  DateTime.makeUnsafe(since)
                ),
                (hours) => pointsOf(window, proxies, hours)
              ),
            { concurrency }
          )
          return trafficUsage(window, proxies, parts.reduce(add, pointsOf(window, [], [])))
        },
        Effect.timeout(timeout),
        Effect.mapError(() => new TrafficUnavailable())
      )

      const ofOrder = Effect.fn("TrafficUsage.ofOrder")(function* (order: Order, period: TrafficPeriod) {
        return yield* usage(windowOf(period, yield* DateTime.now), yield* repo.ofOrder(order.id))
      })

      const ofUser = Effect.fn("TrafficUsage.ofUser")(function* (
        user: UserId,
        period: TrafficPeriod,
        filter: ProxyFilter
      ) {
        const window = windowOf(period, yield* DateTime.now)
        return yield* usage(window, yield* repo.ofUser(user, filter, DateTime.makeUnsafe(window.from)))
      })

      const usedInCycle = Effect.fn("TrafficUsage.usedInCycle")(function* (order: Order) {
        const { cycle_started_at, provider, provider_proxy_id } = order
        if (cycle_started_at === null || provider_proxy_id === null) return null
        const hours = yield* hourly(provider, [provider_proxy_id], DateTime.startOf(cycle_started_at, "hour")).pipe(
          Effect.timeout(timeout),
          Effect.option
        )
        if (hours._tag === "None") return null
        return toGb(hours.value.reduce((sum, { bytes }) => sum + Number(bytes), 0))
      })

      return TrafficUsage.of({ ofOrder, ofUser, usedInCycle })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(TrafficUsageRepo.layer))
}
