import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { Providers } from "../../provider/Providers.ts"
import { type AbandonedAttempt, ProvisioningRepo } from "./ProvisioningRepo.ts"

const batch = 50
const callTimeout = "30 seconds"
const again = { minutes: 10 }
/** Age from which an abandoned attempt is no longer looked up. */
const memory = { days: 7 }

/** Releases proxies that turn up for orders that were refunded while the outcome was unknown. */
export const run = Effect.gen(function* () {
  const repo = yield* ProvisioningRepo
  const providers = yield* Providers

  const look = Effect.fnUntraced(
    function* ({ order_id, provider: name }: AbandonedAttempt) {
      const provider = providers.get(name)
      if (provider === undefined || provider.find_settles_after === null) return
      const proxy = yield* Effect.timeout(provider.find(order_id), callTimeout)
      if (proxy === undefined) return
      const { provider_proxy_id: id } = proxy
      if ((yield* repo.holderOf(name, id)) !== undefined) {
        yield* Effect.logError(`${name} answered proxy ${id} for order ${order_id}, but another order has that proxy`)
        return yield* repo.settleAbandoned(order_id, `another order has proxy ${id}`)
      }
      if (provider.release === undefined) {
        yield* Effect.logError(`Proxy ${id} of ${name}, bought for order ${order_id}, has no owner; release it by hand`)
        return yield* repo.orphan(
          order_id,
          `proxy ${id} has no owner, and the operator has to release it`,
          yield* DateTime.now
        )
      }
      yield* Effect.timeout(provider.release(id), callTimeout)
      yield* repo.settleAbandoned(order_id, `proxy ${id} had no owner and was released`)
    },
    (effect, { order_id }) =>
      Effect.catchCause(effect, (cause) =>
        Effect.logWarning(`Cannot look up order ${order_id}; the job tries again`, cause)
      )
  )

  const now = yield* DateTime.now
  yield* repo.forgetAbandoned(DateTime.subtract(now, memory))
  const attempts = yield* repo.claimAbandoned(now, DateTime.add(now, again), batch)
  yield* Effect.forEach(attempts, look, { concurrency: 8, discard: true })
})

export const layer = Job.layer("OrphanRelease", Schedule.spaced("1 minute"), run).pipe(
  Layer.provide(ProvisioningRepo.layer)
)
