import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { RateLimit, type RateLimited } from "../../platform/requests/RateLimit.ts"
import { Providers } from "../../provider/Providers.ts"
import type { Order, OrderId } from "../Order.ts"
import type { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"
import { Orders } from "../Orders.ts"
import { anyKind, type NotAdmitted, OperationGuard } from "../proxies/OperationGuard.ts"
import { ProxyBusy } from "../proxies/ProxyErrors.ts"
import { OutagesRepo } from "./OutagesRepo.ts"
import { statusOf } from "./Probe.ts"
import { type ProxyCheckView, proxyCheckView } from "./ProxyCheckView.ts"
import { ProxyHealthRepo } from "./ProxyHealthRepo.ts"
import { ProxyProbes } from "./ProxyProbes.ts"
import { replacementTerms, type ReplacementTerms } from "./ReplacementTerms.ts"
import { type UptimeView, uptimeView } from "./UptimeView.ts"

/** The limit of one account: a check uses a connection of the service. */
const rule = { name: "proxy-checks", limit: 6, window: Duration.minutes(1) } as const
/** Longer than a check. */
const lease = { seconds: 15 }
/** The outages that a chart shows. */
const outagesAtMost = 100

/** Checks proxies for their owners: at once, and over the last days. */
export class ProxyChecks extends Context.Service<
  ProxyChecks,
  {
    /**
     * Tries a proxy now, for at most 10 seconds. Fails with `RateLimited` after 6 checks of an account in a minute, and with
     * `ProxyBusy` while another check of the proxy runs.
     */
    readonly check: (owner: UserId, id: OrderId) => Effect.Effect<ProxyCheckView, NotAdmitted | ProxyBusy | RateLimited>
    readonly uptime: (
      owner: UserId,
      id: OrderId,
      days: number
    ) => Effect.Effect<UptimeView, OrderNotFound | OrderNotYours>
    /** Switches the replacement of a failing proxy without a request. */
    readonly setAutoReplace: (
      owner: UserId,
      id: OrderId,
      enabled: boolean
    ) => Effect.Effect<void, OrderNotFound | OrderNotYours>
    /** Decides whether the warranty replaces a proxy now. */
    readonly terms: (order: Order) => Effect.Effect<ReplacementTerms>
  }
>()("app/orders/ProxyChecks") {
  static readonly layerNoDeps = Layer.effect(
    ProxyChecks,
    Effect.gen(function* () {
      const guard = yield* OperationGuard
      const orders = yield* Orders
      const outages = yield* OutagesRepo
      const probes = yield* ProxyProbes
      const providers = yield* Providers
      const rateLimit = yield* RateLimit
      const repo = yield* ProxyHealthRepo

      const terms = Effect.fn("ProxyChecks.terms")(function* (order: Order) {
        const canReplace = providers.get(order.provider)?.replacement !== undefined
        const [health, isReplaced] = yield* Effect.all([repo.ofOrder(order.id), repo.isReplaced(order.id)])
        const now = yield* DateTime.now
        const agreed = replacementTerms({ order, health, isReplaced, canReplace }, now)
        if (agreed.reason !== "failing") return agreed
        // While the connection of the service is the likely cause, a replacement would take a good address out of the stock.
        const isSound = (yield* outages.sound(now)).some((one) => one.provider === order.provider && one.is_sound)
        return isSound ? agreed : replacementTerms({ order, health: [], isReplaced, canReplace }, now)
      })

      const check = Effect.fn("ProxyChecks.check")(function* (owner: UserId, id: OrderId) {
        const order = yield* guard.admit(owner, id, anyKind)
        yield* rateLimit.enforce(rule, owner)
        const now = yield* DateTime.now
        if (!(yield* repo.take(id, now, DateTime.add(now, lease)))) return yield* new ProxyBusy({ details: {} })
        return yield* Effect.ensuring(
          Effect.gen(function* () {
            const tried = yield* probes.probe(order, true)
            const isMute = statusOf(tried) === "failing" && !(yield* probes.echoAnswers)
            const probe = isMute ? { ...tried, error: "no_echo" as const } : tried
            const checked_at = yield* DateTime.now
            const counts = statusOf(probe) !== "unknown" && !(yield* repo.isStopped(id))
            if (counts) yield* repo.record(id, probe, checked_at, checked_at)
            return proxyCheckView(id, probe, yield* terms(order), checked_at)
          }),
          repo.leave(id)
        )
      })

      const uptime = Effect.fn("ProxyChecks.uptime")(function* (owner: UserId, id: OrderId, days: number) {
        yield* orders.details(owner, id)
        const since = DateTime.startOf(DateTime.subtract(yield* DateTime.now, { days }), "hour")
        return uptimeView(id, since, {
          health: yield* repo.ofOrder(id),
          hours: yield* repo.hours(id, since),
          outages: yield* outages.ofOrder(id, since, outagesAtMost),
          auto_replace: yield* outages.autoReplace(id)
        })
      })

      const setAutoReplace = Effect.fn("ProxyChecks.setAutoReplace")(function* (
        owner: UserId,
        id: OrderId,
        enabled: boolean
      ) {
        yield* orders.details(owner, id)
        yield* outages.setAutoReplace(id, enabled)
      })

      return ProxyChecks.of({ check, uptime, setAutoReplace, terms })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([OperationGuard.layer, Orders.layer, OutagesRepo.layer, ProxyHealthRepo.layer, ProxyProbes.layer])
  )
}
