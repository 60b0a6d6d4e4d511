import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { Providers } from "../../provider/Providers.ts"
import { ProvisioningRepo } from "./ProvisioningRepo.ts"

const batch = 50
const callTimeout = "30 seconds"
const again = { minutes: 10 }
/** After this long nobody expects a proxy to turn up any more. */
const memory = { days: 7 }

/** Releases the proxies that turn up, after all, for orders that were refunded without an answer of the provider. */
export const run = Effect.gen(function* () {
  const repo = yield* ProvisioningRepo
  const providers = yield* Providers

  const look = Effect.fnUntraced(
    function* ({ order_id, provider: name }: Effect.Success<ReturnType<typeof repo.claimAbandoned>>[number]) {
      const provider = providers.get(name)
      if (provider === undefined || provider.find_settles_after === null) return
      const proxy = yield* Effect.timeout(provider.find(order_id), callTimeout)
      if (proxy === undefined) return
      const { provider_proxy_id: id } = proxy
      if ((yield* repo.holderOf(name, id)) !== undefined) {
        yield* Effect.logError(`Proxy ${id} of ${name} is another order's, but answered for order ${order_id}`)
        return yield* repo.settleAbandoned(order_id, `${id} is another order's`)
      }
      if (provider.release === undefined) {
        yield* Effect.logError(`Proxy ${id} of ${name}, bought for order ${order_id}, has no owner; release it by hand`)
        return yield* repo.settleAbandoned(order_id, `nobody owns ${id}, which has to be released by hand`)
      }
      yield* Effect.timeout(provider.release(id), callTimeout)
      yield* repo.settleAbandoned(order_id, `released ${id}, which nobody owned`)
    },
    (effect, { order_id }) =>
      Effect.catchCause(effect, (cause) => Effect.logWarning(`Order ${order_id} could not be looked up`, cause))
  )

  const now = yield* DateTime.now
  yield* repo.forgetAbandoned(DateTime.subtract(now, memory))
  const attempts = yield* repo.claimAbandoned(now, DateTime.add(now, again), batch)
  yield* Effect.forEach(attempts, look, { concurrency: 8, discard: true })
})

export const layer = Job.layer("OrphanRelease", Schedule.spaced("1 minute"), run).pipe(
  Layer.provide(ProvisioningRepo.layer)
)
