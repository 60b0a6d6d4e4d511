import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { Providers } from "../provider/Providers.ts"
import type { Order } from "./Order.ts"
import { TrafficUnavailable } from "./OrderErrors.ts"
import { buckets, bytesPerGb, summarize, type TrafficPeriod, type TrafficUsageView } from "./TrafficUsageView.ts"

/** How much traffic orders have used, as their providers metered it. */
export class TrafficUsage extends Context.Service<
  TrafficUsage,
  {
    readonly ofOrder: (order: Order, period: TrafficPeriod) => Effect.Effect<TrafficUsageView, TrafficUnavailable>
    /** Traffic of the running cycle in GB; null when the provider does not say. */
    readonly usedInCycle: (order: Order) => Effect.Effect<number | null>
  }
>()("app/orders/TrafficUsage") {
  static readonly layer = Layer.effect(
    TrafficUsage,
    Effect.gen(function* () {
      const providers = yield* Providers

      const hourly = Effect.fnUntraced(function* (order: Order, since: DateTime.Utc) {
        const provider = providers.get(order.provider)
        if (provider?.capabilities.traffic !== true || order.provider_proxy_id === null) return []
        return yield* provider.traffic([order.provider_proxy_id], since)
      }, Effect.timeout("5 seconds"))

      const ofOrder = Effect.fn("TrafficUsage.ofOrder")(function* (order: Order, period: TrafficPeriod) {
        const now = yield* DateTime.now
        const { count, width } = buckets[period]
        const window = DateTime.subtractDuration(now, Duration.times(width, count + 1))
        const cycle = order.cycle_started_at ?? window
        const since = DateTime.startOf(DateTime.isLessThan(cycle, window) ? cycle : window, "hour")
        const hours = yield* Effect.mapError(hourly(order, since), () => new TrafficUnavailable())
        return summarize(period, now, {
          hours,
          cycle_started_at: order.cycle_started_at,
          limit_gb: order.bandwidth_gb ?? 0
        })
      })

      const usedInCycle = Effect.fn("TrafficUsage.usedInCycle")(function* (order: Order) {
        if (order.cycle_started_at === null) return null
        const hours = yield* Effect.option(hourly(order, DateTime.startOf(order.cycle_started_at, "hour")))
        if (hours._tag === "None") return null
        return hours.value.reduce((sum, { bytes }) => sum + Number(bytes), 0) / bytesPerGb
      })

      return TrafficUsage.of({ ofOrder, usedInCycle })
    })
  )
}
