import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { Provisioning } from "./Provisioning.ts"
import { ProvisioningRepo } from "./ProvisioningRepo.ts"

const batch = 50
const concurrency = 8
/** Longer than the worst round: a full batch of calls that all time out. */
const lease = { minutes: 5 }

const recover = Effect.fn("ProvisioningRecovery.recover")(function* (provider: string) {
  const repo = yield* ProvisioningRepo
  const provisioning = yield* Provisioning
  const now = yield* DateTime.now
  const orders = yield* repo.claim(provider, now, DateTime.add(now, lease), batch)
  yield* Effect.forEach(orders, provisioning.resume, { concurrency, discard: true })
})

const dueProviders = Effect.gen(function* () {
  const repo = yield* ProvisioningRepo
  return yield* repo.dueProviders(yield* DateTime.now)
})

/** Finishes the paid orders that a crash, a time-out or a provider outage has left without a proxy. */
export const run = Effect.flatMap(dueProviders, (providers) =>
  Effect.forEach(providers, recover, { concurrency: "unbounded", discard: true })
)

export const layer = Job.perName("ProvisioningRecovery", Schedule.spaced("1 second"), dueProviders, recover).pipe(
  Layer.provide([ProvisioningRepo.layer, Provisioning.layer])
)
