import { Cause, Context, DateTime, Duration, Effect, Layer } from "effect"
import { ProviderOutcomeUnknown, ProviderUnavailable } from "../../provider/ProviderErrors.ts"
import { Providers } from "../../provider/Providers.ts"
import type { ProvisionRequest, ProxyProvider } from "../../provider/ProxyProvider.ts"
import * as BilledCall from "../../provider/BilledCall.ts"
import type { Order } from "../Order.ts"
import type { ShownOrder } from "../OrderView.ts"
import * as ProvisioningOutcome from "./ProvisioningOutcome.ts"
import { ProvisioningRepo, type Unprovisioned } from "./ProvisioningRepo.ts"

/** The attempt that an order was added with serves for a call that soon; a later one begins anew, to have its time. */
const prompt = Duration.seconds(1)

const requestFor = (order: Order, now: DateTime.Utc): ProvisionRequest => ({
  reference: order.id,
  external_id: order.external_id,
  kind: order.proxy_type,
  country_code: order.country,
  ip_version: order.ip_version,
  protocol: order.protocol,
  city: order.city,
  period_days: order.period_days,
  period_months: order.period_months,
  bandwidth_gb: order.bandwidth_gb,
  expires_at: DateTime.add(now, { days: order.period_days })
})

/** A fault of the program stops at the order it happened to. */
const contained = <A, E, R>(effect: Effect.Effect<A, E, R>, order: Order) =>
  Effect.catchCause(effect, (cause) => Effect.logError(`Provisioning of order ${order.id} failed`, cause))

/** Looks an attempt with an unknown outcome up by the order's id; it is made again only when it certainly was not. */
const lookingUp = (providers: Providers["Service"], settle: Effect.Success<typeof ProvisioningOutcome.make>) => {
  /** Nobody can say what became of the attempt: it is looked up again, and given up in the end. */
  const undecided = Effect.fnUntraced(function* (order: Order, attemptStartedAt: DateTime.Utc, reason: string) {
    const within = providers.get(order.provider)?.delivers_within ?? BilledCall.patience
    const tooLong = BilledCall.isOlder(attemptStartedAt, within, yield* DateTime.now)
    return yield* tooLong ? settle.abandoned(order, reason) : settle.unknown(order, reason)
  })

  return Effect.fnUntraced(
    function* (order: Unprovisioned, attemptStartedAt: DateTime.Utc) {
      const provider = providers.get(order.provider)
      const settling = provider?.find_settles_after ?? null
      if (provider === undefined || settling === null)
        return yield* undecided(order, attemptStartedAt, "the provider cannot be asked what became of the order")
      const proxy = yield* Effect.timeoutOrElse(provider.find(order.id), {
        duration: BilledCall.timeout,
        orElse: () => new ProviderUnavailable({ provider: order.provider, reason: "no answer in time" })
      })
      if (proxy !== undefined) return yield* settle.provisioned(provider, order, proxy)
      const now = yield* DateTime.now
      const certainAfter = Duration.sum(BilledCall.timeout, settling)
      if (!BilledCall.isOlder(attemptStartedAt, certainAfter, now))
        return yield* settle.unknown(order, "the provider does not know the order yet")
      // A look-up that misses what was bought costs a proxy: an old order is bought again once.
      const isRepeated = BilledCall.isOlder(order.updated_at, certainAfter, attemptStartedAt)
      const reason = "the provider does not know the order"
      return yield* isRepeated && BilledCall.isOlder(order.updated_at, BilledCall.deadline, now)
        ? settle.abandoned(order, reason)
        : settle.notExecuted(order, reason, "at once")
    },
    (effect, order, attemptStartedAt) =>
      effect.pipe(
        Effect.catchTag("ProviderUnavailable", ({ reason }) => undecided(order, attemptStartedAt, reason)),
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError(`Order ${order.id} could not be looked up`, Cause.die(defect)),
            undecided(order, attemptStartedAt, "looking the order up failed")
          )
        )
      )
  )
}

/**
 * Turns paid orders into proxies, each once (architecture section 6). The attempt is on record before the provider
 * is called; what a crash, a timeout or a refusal leaves behind is settled by `resume`.
 */
export class Provisioning extends Context.Service<
  Provisioning,
  {
    /**
     * Calls the provider for an order that this process has just added as paid, unless somebody else has taken it up,
     * and settles the answer. Answers the order with its proxy when that was handed out.
     */
    readonly provision: (order: Order) => Effect.Effect<ShownOrder | void>
    /** Goes on with a paid order that nobody is at work on. */
    readonly resume: (order: Unprovisioned) => Effect.Effect<unknown>
  }
>()("app/orders/Provisioning") {
  static readonly layerNoDeps = Layer.effect(
    Provisioning,
    Effect.gen(function* () {
      const repo = yield* ProvisioningRepo
      const providers = yield* Providers
      const settle = yield* ProvisioningOutcome.make

      /** The provider did nothing: it is asked again, until the order is too old. */
      const unreachable = Effect.fnUntraced(function* (order: Order, reason: string) {
        // A paid order was last updated when it was paid.
        const tooOld = BilledCall.isOlder(order.updated_at, BilledCall.deadline, yield* DateTime.now)
        return yield* tooOld ? settle.refused(order, reason) : settle.notExecuted(order, reason, "after a pause")
      })

      const buy = Effect.fnUntraced(
        function* (provider: ProxyProvider, order: Order, startedAt: DateTime.Utc) {
          // The attempt is judged by when it started: the call must be over by then, whatever came before it.
          const left = Duration.subtract(BilledCall.timeout, DateTime.distance(startedAt, yield* DateTime.now))
          if (!Duration.isPositive(left)) return yield* settle.notExecuted(order, "no time was left", "at once")
          const proxy = yield* Effect.timeoutOrElse(provider.provision(requestFor(order, startedAt)), {
            duration: left,
            orElse: () => new ProviderOutcomeUnknown({ provider: order.provider, reason: "no answer in time" })
          })
          return yield* settle.provisioned(provider, order, proxy)
        },
        (effect, _provider, order) =>
          Effect.catchTags(effect, {
            ProviderRefused: ({ reason }) => settle.refused(order, reason),
            ProviderUnavailable: ({ reason }) => unreachable(order, reason),
            ProviderOutcomeUnknown: ({ reason }) => settle.unknown(order, reason)
          })
      )

      const attempt = Effect.fnUntraced(function* (order: Order) {
        const provider = providers.get(order.provider)
        if (provider === undefined) return yield* unreachable(order, "the provider is switched off")
        const now = yield* DateTime.now
        const lease = DateTime.add(now, BilledCall.lease)
        if (yield* repo.begin(order, now, lease)) return yield* buy(provider, { ...order, provision_at: lease }, now)
      })

      const provision = Effect.fnUntraced(function* (order: Order) {
        const provider = providers.get(order.provider)
        const hasWaited = BilledCall.isOlder(order.created_at, prompt, yield* DateTime.now)
        return yield* provider === undefined || hasWaited ? attempt(order) : buy(provider, order, order.created_at)
      }, contained)

      const lookUp = lookingUp(providers, settle)

      const resume = Effect.fn("Provisioning.resume")(function* (order: Unprovisioned) {
        const startedAt = order.attempt_started_at
        // Nobody could use the proxy; one that was asked for already is ended by `AccountClosure`.
        if (startedAt === null && order.is_owner_gone) return yield* settle.refused(order, "the account was deleted")
        return yield* startedAt === null ? attempt(order) : lookUp(order, startedAt)
      }, contained)

      return Provisioning.of({ provision, resume })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ProvisioningRepo.layer))
}
