import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import type { OrderId } from "../Order.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import { ProxyEnd } from "../proxies/ProxyEnd.ts"
import { ProxyHistory } from "../proxies/ProxyHistory.ts"
import { ProxyHold } from "../proxies/ProxyHold.ts"
import * as EndProxy from "./EndProxy.ts"
import { OrderCareRepo } from "./OrderCareRepo.ts"

const batch = 100
const concurrency = 8
/** The time until a provider is asked again. */
const again = { minutes: 1 }

/** Ends the proxies that staff have released, if the process that recorded it did not. */
export const run = Effect.gen(function* () {
  const repo = yield* OrderCareRepo
  const endProxy = yield* EndProxy.make
  const end = (id: OrderId) =>
    Effect.catchCause(endProxy(id), (cause) =>
      Effect.logWarning(`Cannot end the released proxy of order ${id} yet; the job tries again`, cause)
    )
  const now = yield* DateTime.now
  const due = yield* repo.claimReleases(now, DateTime.add(now, again), batch)
  yield* Effect.forEach(due, end, { concurrency, discard: true })
})

export const layer = Job.layer("ProxyReleases", Schedule.spaced("15 seconds"), run).pipe(
  Layer.provide([LiveProxies.layer, OrderCareRepo.layer, ProxyEnd.layer, ProxyHistory.layer, ProxyHold.layer])
)
