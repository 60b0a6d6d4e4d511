import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import type { ProxyChange } from "./ProxyChange.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import * as MakeProxyChange from "./MakeProxyChange.ts"
import { ProxyHold } from "../proxies/ProxyHold.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

const batch = 50
const concurrency = 8
/** Longer than the worst round: a full batch of changes that wait for their proxies and then time out. */
const lease = { minutes: 10 }

const noWaiter: MakeProxyChange.Waiter = { isWaiting: () => false, promiseRefusal: () => false }

const recover = Effect.fn("ProxyChangeRecovery.recover")(function* (provider: string) {
  const repo = yield* ProxyChangesRepo
  const makeChange = yield* MakeProxyChange.make
  const now = yield* DateTime.now
  const due = yield* repo.claim(provider, now, DateTime.add(now, lease), batch)
  const work = (change: ProxyChange) =>
    makeChange(change, noWaiter).pipe(
      Effect.catchTags({
        // In both cases the owner already has a notice.
        ProviderDown: () => Effect.void,
        ProviderSaidNo: () => Effect.void,
        ProxyBusy: () => repo.postpone(change.id, now)
      }),
      Effect.catchCause((cause) => Effect.logError(`Cannot make proxy change ${change.id}; the job tries again`, cause))
    )
  yield* Effect.forEach(due, work, { concurrency, discard: true })
  return due.length
})

const dueProviders = Effect.gen(function* () {
  const repo = yield* ProxyChangesRepo
  return yield* repo.dueProviders(yield* DateTime.now)
})

/** Makes the pending changes that a crash, a time-out or auto-renew has left. */
export const run = Effect.flatMap(dueProviders, (providers) =>
  Effect.forEach(providers, recover, { concurrency: "unbounded", discard: true })
)

export const layer = Job.perName("ProxyChangeRecovery", Schedule.spaced("5 seconds"), dueProviders, recover).pipe(
  Layer.provide([AutoRenewalRepo.layer, ProxyChangesRepo.layer, ProxyHold.layer])
)
