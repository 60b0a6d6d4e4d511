import { DateTime, Duration, Effect, Option } from "effect"
import { ProviderOutcomeUnknown } from "../provider/ProviderErrors.ts"
import { Providers } from "../provider/Providers.ts"
import type { ProviderProxy, ProxyProvider } from "../provider/ProxyProvider.ts"
import * as ChangeOutcome from "./ChangeOutcome.ts"
import type { Order } from "./Order.ts"
import { ProviderDown, ProviderSaidNo } from "./OrderErrors.ts"
import { isLive } from "./OrderStatus.ts"
import { type ProxyChange, toProvider } from "./ProxyChange.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

/** How long a provider may take to make a change; with a look-up before it, still within a hold of the proxy. */
export const callTimeout = Duration.seconds(30)
/** How long whoever calls the provider has the change for themselves: longer than the call. */
const callLease = { seconds: 45 }
/** A change this old that its provider certainly has not made is refunded. */
export const deadline = Duration.minutes(15)
/** A change that nobody could ask for, or look up, for this long is given up and refunded. */
const patience = Duration.hours(1)

export const isOlder = (since: DateTime.Utc, age: Duration.Duration, now: DateTime.Utc) =>
  Duration.isGreaterThanOrEqualTo(DateTime.distance(since, now), age)

const saidNo = () => new ProviderSaidNo({ details: {} })

/** A change at work: whose proxy it is, and whether somebody waits for the answer. */
export interface Work {
  readonly change: ProxyChange
  readonly order: Order
  readonly isWaitedFor: () => boolean
}

const undecided = Option.none<ProviderProxy>()

const request = (provider: ProxyProvider, id: string, change: ProxyChange) => {
  const wanted = toProvider(change)
  return wanted.kind === "traffic" ? provider.addTraffic?.(id, wanted) : provider.extend?.(id, wanted)
}

/** Asks providers for changes and settles what they answer: the proxy when the change is made, none while unknown. */
export const make = Effect.gen(function* () {
  const repo = yield* ProxyChangesRepo
  const providers = yield* Providers
  const outcome = yield* ChangeOutcome.make

  const applied = ({ change, order }: Work, proxy: ProviderProxy) =>
    Effect.as(outcome.applied(change, order, proxy), Option.some(proxy))

  const refused = ({ change, isWaitedFor, order }: Work, error: ProviderSaidNo | ProviderDown, reason: string) =>
    outcome.refused(change, order, error, { reason, isWaitedFor: isWaitedFor() })

  /** The provider certainly did nothing. Who waits is told at once; otherwise it is asked until that is too late. */
  const notMade = Effect.fnUntraced(function* (work: Work, reason: string) {
    const tooOld = isOlder(work.change.created_at, deadline, yield* DateTime.now)
    if (tooOld || work.isWaitedFor()) return yield* refused(work, new ProviderDown(), reason)
    yield* outcome.notMade(work.change)
    return undecided
  })

  /** Nobody can say what became of the change: it is looked up again, and given up in the end. */
  const unknown = Effect.fnUntraced(function* (work: Work, reason: string) {
    const since = work.change.attempted_at ?? work.change.created_at
    if (isOlder(since, patience, yield* DateTime.now)) return yield* refused(work, new ProviderDown(), reason)
    yield* outcome.unknown(work.change, reason)
    return undecided
  })

  /** From the answer to its settlement nothing is interrupted. */
  const ask = Effect.fnUntraced(function* ({ change, order, isWaitedFor }: Work) {
    const provider = providers.get(order.provider)
    const call = provider && order.provider_proxy_id && request(provider, order.provider_proxy_id, change)
    const now = yield* DateTime.now
    const work: Work = { change: { ...change, attempted_at: now }, order, isWaitedFor }
    if (isOlder(change.created_at, patience, now))
      return yield* refused(work, new ProviderDown(), "nobody asked in time")
    if (!isLive(order.proxy_status)) return yield* refused(work, saidNo(), "the proxy has ended")
    if (!call) return yield* notMade(work, "the provider is switched off, or can no longer make changes")
    if (!(yield* repo.begin(change.id, now, DateTime.add(now, callLease)))) return undecided
    const answer = Effect.timeoutOrElse(call, {
      duration: callTimeout,
      orElse: () => new ProviderOutcomeUnknown({ provider: order.provider, reason: "no answer in time" })
    })
    return yield* Effect.interruptible(answer).pipe(
      Effect.flatMap((proxy) => applied(work, proxy)),
      Effect.catchTags({
        ProviderRefused: ({ reason }) => refused(work, saidNo(), reason),
        ProviderUnavailable: ({ reason }) => notMade(work, reason),
        ProviderOutcomeUnknown: ({ reason }) => unknown(work, reason)
      })
    )
  }, Effect.uninterruptible)

  return { applied, ask, refused, unknown }
})
