import { DateTime, Effect } from "effect"
import { Providers } from "../../provider/Providers.ts"
import { type AbandonedAttempt, ProvisioningRepo } from "./ProvisioningRepo.ts"

const callTimeout = "30 seconds"

/** Looks up the proxy of an order that was refunded while the outcome was unknown, and releases it if it turned up. */
export const make = Effect.gen(function* () {
  const repo = yield* ProvisioningRepo
  const providers = yield* Providers

  return Effect.fnUntraced(function* ({ order_id, provider: name }: AbandonedAttempt) {
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
  })
})
