import { Cause, Context, DateTime, Duration, Effect, Layer } from "effect"
import * as BilledAnswer from "../../provider/BilledAnswer.ts"
import * as BilledCall from "../../provider/BilledCall.ts"
import { Providers } from "../../provider/Providers.ts"
import type { ProvisionRequest, ProxyProvider } from "../../provider/ProxyProvider.ts"
import type { PlacedOrder } from "../Order.ts"
import type { Delivered, Undelivered, WaitingRequest } from "./Delivery.ts"
import { ProvisioningRepo, type Unprovisioned } from "./ProvisioningRepo.ts"
import * as SettleProvisioning from "./SettleProvisioning.ts"

/**
 * Age limit of the attempt that was inserted with an order. A later call records another attempt, so that it has its
 * full time.
 */
const prompt = Duration.seconds(1)

/** A paid order, and the last answer of its provider. */
interface Attempt extends Undelivered {
  readonly asked_at: DateTime.Utc | null
  readonly answer: BilledCall.Answer
  readonly obstacle: string | null
}

const unasked = { waiting: undefined, asked_at: null, answer: { _tag: "None" }, obstacle: null } as const

const callOf = ({ answer, asked_at, obstacle, order }: Attempt): BilledCall.BilledCall => ({
  buys: "proxy",
  // A paid order was last updated when it was paid.
  paid_at: order.updated_at,
  asked_at,
  answer,
  obstacle,
  // The request waits for at most ten seconds and then answers the paid order, so an outage does not refund the order
  // early.
  isWaitedFor: false
})

const abilitiesOf = (provider: ProxyProvider | undefined): BilledCall.Abilities => ({
  canAsk: provider !== undefined,
  find_settles_after: provider?.find_settles_after ?? null,
  delivers_within: provider?.delivers_within
})

const requestFor = (order: PlacedOrder, now: DateTime.Utc): ProvisionRequest => ({
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

/** Calls the provider for an attempt that is on record since `startedAt`. */
const buy = Effect.fnUntraced(function* (
  provider: ProxyProvider,
  { order, waiting }: Undelivered,
  startedAt: DateTime.Utc
) {
  // A look-up is certain only when the call has ended by a known time. So the call ends 30 seconds after the recorded
  // start, even if it began late.
  const left = Duration.subtract(BilledCall.timeout, DateTime.distance(startedAt, yield* DateTime.now))
  const answer: BilledCall.Answer = Duration.isPositive(left)
    ? yield* BilledAnswer.ofCall(provider.provision(requestFor(order, startedAt)), left)
    : { _tag: "NotSent", reason: "no time was left for the call" }
  return { order, waiting, asked_at: startedAt, answer, obstacle: null } satisfies Attempt
})

/** A defect affects only its own order. */
const contained = <A, E, R>(effect: Effect.Effect<A, E, R>, order: PlacedOrder) =>
  Effect.catchCause(effect, (cause) => Effect.logError(`Cannot provision order ${order.id}`, cause))

/** Takes the steps that `BilledCall` decides, until one of them ends the round. */
const makeFollow = Effect.gen(function* () {
  const repo = yield* ProvisioningRepo
  const providers = yield* Providers
  const settle = yield* SettleProvisioning.make

  const ask = Effect.fnUntraced(function* (provider: ProxyProvider, { order, waiting }: Attempt, now: DateTime.Utc) {
    const lease = DateTime.add(now, BilledCall.lease)
    if (yield* repo.begin(order, now, lease))
      return yield* follow(yield* buy(provider, { order: { ...order, provision_at: lease }, waiting }, now))
  })

  const lookUp = Effect.fnUntraced(
    function* (provider: ProxyProvider, attempt: Attempt) {
      const answer = yield* BilledAnswer.ofLookUp(provider.find(attempt.order.id), BilledCall.timeout)
      return yield* follow({ ...attempt, answer })
    },
    (effect, _provider, attempt) =>
      Effect.catchDefect(effect, (defect) =>
        Effect.andThen(
          Effect.logError(`Cannot look up order ${attempt.order.id}`, Cause.die(defect)),
          follow({ ...attempt, answer: { _tag: "LookUpFailed", reason: "the look-up failed" } })
        )
      )
  )

  const follow: (attempt: Attempt) => Effect.Effect<Delivered | void> = Effect.fnUntraced(function* (attempt) {
    const { order } = attempt
    const provider = providers.get(order.provider)
    const now = yield* DateTime.now
    const step = BilledCall.next(callOf(attempt), abilitiesOf(provider), now)
    if (step._tag === "AskAgain") return yield* settle.askAgain(order, step)
    if (step._tag === "LookUpAgain") return yield* settle.lookUpAgain(order, step)
    if (step._tag === "Refuse") return yield* settle.refuse(order, step.reason)
    if (step._tag === "Abandon") return yield* settle.abandon(order, step.reason)
    // The remaining steps need a provider that is switched on.
    if (provider === undefined) return
    if (step._tag === "Apply") return yield* settle.apply(provider, attempt, step.proxy)
    return yield* step._tag === "Ask" ? ask(provider, attempt, now) : lookUp(provider, attempt)
  })

  return follow
})

/**
 * Turns each paid order into one proxy. The attempt is on record before the provider is called; `resume` finishes what a
 * crash, a time-out or a refusal leaves behind (docs/contract.md, "Provisioning and refunds").
 */
export class Provisioning extends Context.Service<
  Provisioning,
  {
    /**
     * Calls the provider for an order that this process has just inserted as paid, unless another process holds the
     * order, and settles the answer. The delivery also stores the answer of the request that waits. Returns the order
     * when its proxy was handed out.
     */
    readonly provision: (order: PlacedOrder, waiting?: WaitingRequest) => Effect.Effect<Delivered | void>
    /** Continues with a paid order that no process works on. */
    readonly resume: (order: Unprovisioned) => Effect.Effect<unknown>
  }
>()("app/orders/Provisioning") {
  static readonly layerNoDeps = Layer.effect(
    Provisioning,
    Effect.gen(function* () {
      const providers = yield* Providers
      const follow = yield* makeFollow

      const provision = Effect.fnUntraced(function* (order: PlacedOrder, waiting?: WaitingRequest) {
        const provider = providers.get(order.provider)
        const hasWaited = BilledCall.isOlder(order.created_at, prompt, yield* DateTime.now)
        const isBegun = provider !== undefined && !hasWaited
        return yield* follow(
          isBegun ? yield* buy(provider, { order, waiting }, order.created_at) : { ...unasked, order, waiting }
        )
      }, contained)

      const resume = Effect.fn("Provisioning.resume")(function* (order: Unprovisioned) {
        const asked_at = order.attempt_started_at
        // `AccountClosure` ends a proxy that was asked for before its account was deleted.
        const obstacle = order.is_owner_gone
          ? "the account was deleted"
          : order.is_owner_blocked
            ? "the account is suspended"
            : null
        return yield* follow({ ...unasked, order, asked_at, obstacle })
      }, contained)

      return Provisioning.of({ provision, resume })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ProvisioningRepo.layer))
}
