import { Cause, DateTime, Duration, Effect, Option } from "effect"
import { ProviderOutcomeUnknown, ProviderUnavailable } from "../../provider/ProviderErrors.ts"
import { Providers } from "../../provider/Providers.ts"
import type { ProviderProxy, ProxyProvider } from "../../provider/ProxyProvider.ts"
import * as BilledCall from "../../provider/BilledCall.ts"
import type { Order } from "../Order.ts"
import { isLive } from "../OrderStatus.ts"
import { type ProxyChange, type Refusal, toProvider } from "./ProxyChange.ts"
import * as ProxyChangeOutcome from "./ProxyChangeOutcome.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

/** With the call that may follow it, still within a hold of the proxy. */
const lookUpTimeout = Duration.seconds(10)

/** A change at work: whose proxy it is, and whether somebody waits for the answer. */
interface Work {
  readonly change: ProxyChange
  readonly order: Order
  readonly isWaitedFor: () => boolean
}

const undecided = Option.none<ProviderProxy>()

const request = (provider: ProxyProvider, id: string, change: ProxyChange) => {
  const wanted = toProvider(change)
  return wanted.kind === "traffic" ? provider.addTraffic?.(id, wanted) : provider.extend?.(id, wanted)
}

/** Asks the provider for a change and settles what it answers. */
const makeAsk = Effect.gen(function* () {
  const repo = yield* ProxyChangesRepo
  const providers = yield* Providers
  const outcome = yield* ProxyChangeOutcome.make

  const applied = ({ change, order }: Work, proxy: ProviderProxy) =>
    Effect.as(outcome.applied(change, order, proxy), Option.some(proxy))

  const refused = ({ change, isWaitedFor, order }: Work, refusal: Refusal, reason: string) =>
    outcome.refused(change, order, { refusal, reason, isWaitedFor: isWaitedFor() })

  /** The provider certainly did nothing. Who waits is told at once; otherwise it is asked until that is too late. */
  const notMade = Effect.fnUntraced(function* (work: Work, reason: string) {
    const tooOld = BilledCall.isOlder(work.change.created_at, BilledCall.deadline, yield* DateTime.now)
    if (tooOld || work.isWaitedFor()) return yield* refused(work, "provider_down", reason)
    yield* outcome.notMade(work.change)
    return undecided
  })

  /** Nobody can say what became of the change: it is looked up again, and given up in the end. */
  const unknown = Effect.fnUntraced(function* (work: Work, reason: string) {
    const since = work.change.attempted_at ?? work.change.created_at
    if (BilledCall.isOlder(since, BilledCall.patience, yield* DateTime.now))
      return yield* refused(work, "provider_down", reason)
    yield* outcome.unknown(work.change, reason)
    return undecided
  })

  /** From the answer to its settlement nothing is interrupted. */
  const ask = Effect.fnUntraced(function* ({ change, order, isWaitedFor }: Work) {
    const provider = providers.get(order.provider)
    const call = provider && order.provider_proxy_id && request(provider, order.provider_proxy_id, change)
    const now = yield* DateTime.now
    const work: Work = { change: { ...change, attempted_at: now }, order, isWaitedFor }
    if (BilledCall.isOlder(change.created_at, BilledCall.patience, now))
      return yield* refused(work, "provider_down", "nobody asked in time")
    if (!isLive(order.proxy_status)) return yield* refused(work, "provider_refused", "the proxy has ended")
    if (!call) return yield* notMade(work, "the provider is switched off, or can no longer make changes")
    if (!(yield* repo.begin(change.id, now, DateTime.add(now, BilledCall.lease)))) return undecided
    const answer = Effect.timeoutOrElse(call, {
      duration: BilledCall.timeout,
      orElse: () => new ProviderOutcomeUnknown({ provider: order.provider, reason: "no answer in time" })
    })
    return yield* Effect.interruptible(answer).pipe(
      Effect.flatMap((proxy) => applied(work, proxy)),
      Effect.catchTags({
        ProviderRefused: ({ reason }) => refused(work, "provider_refused", reason),
        ProviderUnavailable: ({ reason }) => notMade(work, reason),
        ProviderOutcomeUnknown: ({ reason }) => unknown(work, reason)
      })
    )
  }, Effect.uninterruptible)

  return { applied, ask, refused, unknown }
})

/** Looks a change with an unknown outcome up, by its own id. */
const makeLookUp = Effect.fnUntraced(function* ({ applied, ask, refused, unknown }: Effect.Success<typeof makeAsk>) {
  const providers = yield* Providers
  const repo = yield* ProxyChangesRepo

  /** The provider does not know the change and never will: it is asked again unless that is too late. */
  const again = Effect.fnUntraced(function* (work: Work) {
    const now = yield* DateTime.now
    if (BilledCall.isOlder(work.change.created_at, BilledCall.deadline, now))
      return yield* refused(work, "provider_down", "the provider does not know the change")
    yield* repo.notMade(work.change.id, now)
    return yield* ask(work)
  })

  const find = Effect.fnUntraced(
    function* ({ change, order }: Work) {
      const provider = providers.get(order.provider)
      const settling = provider?.find_settles_after ?? null
      const { provider_proxy_id } = order
      if (provider?.findChange === undefined || settling === null || provider_proxy_id === null)
        return yield* new ProviderUnavailable({ provider: order.provider, reason: "the provider cannot be asked" })
      const proxy = yield* provider.findChange(provider_proxy_id, toProvider(change))
      return { proxy, settling }
    },
    (effect, { order }) =>
      Effect.timeoutOrElse(effect, {
        duration: lookUpTimeout,
        orElse: () => new ProviderUnavailable({ provider: order.provider, reason: "no answer in time" })
      })
  )

  return Effect.fnUntraced(
    function* (work: Work, attemptedAt: DateTime.Utc) {
      const { proxy, settling } = yield* find(work)
      if (proxy !== undefined) return yield* applied(work, proxy)
      const settled = Duration.sum(BilledCall.timeout, settling)
      const isCertain = BilledCall.isOlder(attemptedAt, settled, yield* DateTime.now)
      return yield* isCertain ? again(work) : unknown(work, "the provider does not know the change yet")
    },
    (effect, work) =>
      effect.pipe(
        Effect.catchTag("ProviderUnavailable", ({ reason }) => unknown(work, reason)),
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError(`Change ${work.change.id} could not be looked up`, Cause.die(defect)),
            unknown(work, "looking the change up failed")
          )
        )
      )
  )
})

/**
 * Brings a pending change to its provider: asked for once, then looked up. Answers the proxy when the change is made,
 * none while that is unknown; fails when it is refused, with the money returned.
 */
export const make = Effect.gen(function* () {
  const attempt = yield* makeAsk
  const lookUp = yield* makeLookUp(attempt)
  return (work: Work) => {
    const { attempted_at } = work.change
    return attempted_at === null ? attempt.ask(work) : lookUp(work, attempted_at)
  }
})
