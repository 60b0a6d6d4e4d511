import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import type { ProxyChange } from "./ProxyChange.ts"
import { ProxyChanges } from "./ProxyChanges.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

const batch = 50
const concurrency = 8
/** Longer than the worst round: a full batch of changes that wait for their proxies and then time out. */
const lease = { minutes: 10 }

const nobodyWaits = () => false

const settle = Effect.fn("ProxyChangeSettlement.settle")(function* (provider: string) {
  const repo = yield* ProxyChangesRepo
  const changes = yield* ProxyChanges
  const now = yield* DateTime.now
  const due = yield* repo.claim(provider, now, DateTime.add(now, lease), batch)
  const work = (change: ProxyChange) =>
    changes.settle(change, nobodyWaits).pipe(
      Effect.catchTags({
        // Both have been told to the owner.
        ProviderDown: () => Effect.void,
        ProviderSaidNo: () => Effect.void,
        ProxyBusy: () => repo.postpone(change.id, now)
      }),
      Effect.catchCause((cause) => Effect.logError(`Change ${change.id} could not be settled`, cause))
    )
  yield* Effect.forEach(due, work, { concurrency, discard: true })
  return due.length
})

const dueProviders = Effect.gen(function* () {
  const repo = yield* ProxyChangesRepo
  return yield* repo.dueProviders(yield* DateTime.now)
})

/** Settles the changes that a crash, a timeout or auto-renew has left pending. */
export const run = Effect.flatMap(dueProviders, (providers) =>
  Effect.forEach(providers, settle, { concurrency: "unbounded", discard: true })
)

export const layer = Job.perName("ProxyChangeSettlement", Schedule.spaced("5 seconds"), dueProviders, settle).pipe(
  Layer.provide(ProxyChangesRepo.layer)
)
