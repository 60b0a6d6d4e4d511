import { Cause, DateTime, Duration, Effect, Option } from "effect"
import * as BilledAnswer from "../../provider/BilledAnswer.ts"
import * as BilledCall from "../../provider/BilledCall.ts"
import { ProviderUnavailable } from "../../provider/ProviderErrors.ts"
import { Providers } from "../../provider/Providers.ts"
import type { ProviderProxy, ProxyProvider } from "../../provider/ProxyProvider.ts"
import type { Order } from "../Order.ts"
import { isLive } from "../OrderStatus.ts"
import type { ProviderDown, ProviderSaidNo, ProxyBusy } from "../proxies/ProxyErrors.ts"
import { ProxyHold } from "../proxies/ProxyHold.ts"
import { type ProxyChange, toProvider } from "./ProxyChange.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import * as SettleProxyChange from "./SettleProxyChange.ts"

/** Leaves time for the call that may follow, within one hold of the proxy. */
const lookUpTimeout = Duration.seconds(10)

/** The request that waits for a change. */
export interface Waiter {
  readonly isWaiting: () => boolean
  /** Makes the request wait longer, so that it can answer the refusal; false when it no longer waits. */
  readonly promiseRefusal: () => boolean
}

/** A pending change, and the last answer of its provider. */
interface Attempt {
  readonly change: ProxyChange
  readonly order: Order
  readonly waiter: Waiter
  readonly answer: BilledCall.Answer
}

/** The provider of a proxy, when it is switched on, and the provider's id of the proxy. */
interface Upstream {
  readonly provider: ProxyProvider
  readonly id: string
}

const notOffered = ({ provider }: Upstream) =>
  new ProviderUnavailable({ provider: provider.name, reason: "the provider does not offer this" })

const request = (upstream: Upstream, change: ProxyChange) => {
  const { id, provider } = upstream
  const wanted = toProvider(change)
  if (wanted.kind === "replace") return provider.replacement?.make(id, wanted) ?? notOffered(upstream)
  const call = wanted.kind === "traffic" ? provider.addTraffic?.(id, wanted) : provider.extend?.(id, wanted)
  return call ?? notOffered(upstream)
}

const abilities = {
  append: "extend",
  restart: "extend",
  traffic: "addTraffic",
  replace: "replacement"
} as const satisfies Record<ProxyChange["kind"], keyof ProxyProvider>

const abilitiesOf = (upstream: Upstream | undefined, { kind }: ProxyChange): BilledCall.Abilities => {
  const provider = upstream?.provider
  return {
    canAsk: provider?.[abilities[kind]] !== undefined,
    find_settles_after: provider?.findChange === undefined ? null : provider.find_settles_after
  }
}

const callOf = ({ answer, change, order, waiter }: Attempt): BilledCall.BilledCall => ({
  buys: "change",
  paid_at: change.created_at,
  asked_at: change.attempted_at,
  answer,
  obstacle: isLive(order.proxy_status) ? null : "the proxy has ended",
  isWaitedFor: waiter.isWaiting()
})

type Followed = Effect.Effect<Option.Option<ProviderProxy>, ProviderSaidNo | ProviderDown>

/** Takes the steps that `BilledCall` decides, until one of them ends the round. */
const makeFollow = Effect.gen(function* () {
  const repo = yield* ProxyChangesRepo
  const providers = yield* Providers
  const settle = yield* SettleProxyChange.make

  const ask = Effect.fnUntraced(function* (upstream: Upstream, attempt: Attempt, now: DateTime.Utc) {
    const { id } = attempt.change
    const call = request(upstream, attempt.change)
    if (!(yield* repo.begin(id, now, DateTime.add(now, BilledCall.lease)))) return Option.none<ProviderProxy>()
    const answer = yield* Effect.interruptible(BilledAnswer.ofCall(call, BilledCall.timeout))
    return yield* follow({ ...attempt, change: { ...attempt.change, attempted_at: now }, answer })
  })

  const lookUp = Effect.fnUntraced(
    function* (upstream: Upstream, attempt: Attempt) {
      const { id, provider } = upstream
      const found = provider.findChange?.(id, toProvider(attempt.change)) ?? notOffered(upstream)
      const answer = yield* Effect.interruptible(BilledAnswer.ofLookUp(found, lookUpTimeout))
      return yield* follow({ ...attempt, answer })
    },
    (effect, _upstream, attempt) =>
      Effect.catchDefect(effect, (defect) =>
        Effect.andThen(
          Effect.logError(`Cannot look up proxy change ${attempt.change.id}`, Cause.die(defect)),
          follow({ ...attempt, answer: { _tag: "LookUpFailed", reason: "the look-up failed" } })
        )
      )
  )

  /** Asks immediately when the step says so, while this process still holds the proxy. */
  const askAgain = Effect.fnUntraced(function* (attempt: Attempt, at: DateTime.Utc, now: DateTime.Utc) {
    yield* repo.notMade(attempt.change.id, at)
    if (DateTime.isGreaterThan(at, now)) return Option.none<ProviderProxy>()
    return yield* follow({ ...attempt, change: { ...attempt.change, attempted_at: null }, answer: { _tag: "None" } })
  })

  const follow: (attempt: Attempt) => Followed = Effect.fnUntraced(function* (attempt) {
    const { change, order, waiter } = attempt
    const provider = providers.get(order.provider)
    const id = order.provider_proxy_id
    const upstream = provider === undefined || id === null ? undefined : { provider, id }
    const now = yield* DateTime.now
    const step = BilledCall.next(callOf(attempt), abilitiesOf(upstream, change), now)
    if (step._tag === "Apply") {
      yield* settle.apply(change, order, step.proxy)
      return Option.some(step.proxy)
    }
    if (step._tag === "AskAgain") return yield* askAgain(attempt, step.at, now)
    if (step._tag === "LookUpAgain") {
      yield* settle.lookUpAgain(change, step)
      return Option.none()
    }
    if (step._tag === "Refuse" || step._tag === "Abandon") {
      const refusal = step._tag === "Refuse" ? step.refusal : "provider_down"
      return yield* settle.refuse(change, order, { refusal, reason: step.reason, isReported: waiter.promiseRefusal() })
    }
    // The remaining steps need a provider that is switched on.
    if (upstream === undefined) return Option.none()
    return yield* step._tag === "Ask" ? ask(upstream, attempt, now) : lookUp(upstream, attempt)
  })

  return follow
})

/**
 * Makes a pending change at its provider. Calls the provider, and later looks up an unknown outcome. Returns the proxy
 * when the change is made. Returns none while the outcome is unknown, or when the change was settled before. Fails when
 * the change was refused; the money is then returned (docs/contract.md, "Proxy changes and auto-renew").
 */
export const make = Effect.gen(function* () {
  const follow = yield* makeFollow
  const hold = yield* ProxyHold
  const repo = yield* ProxyChangesRepo

  return Effect.fn("MakeProxyChange")(
    (
      { id, order_id }: Pick<ProxyChange, "id" | "order_id">,
      waiter: Waiter
    ): Effect.Effect<Option.Option<ProviderProxy>, ProviderSaidNo | ProviderDown | ProxyBusy> =>
      hold.during(order_id, (order) =>
        Effect.flatMap(repo.find(id), (found) => {
          const change = Option.getOrUndefined(found)
          if (change?.status !== "pending") return Effect.succeedNone
          // Nothing may interrupt the steps from the provider's answer to its settlement.
          return Effect.uninterruptible(follow({ change, order, waiter, answer: { _tag: "None" } }))
        })
      )
  )
})
