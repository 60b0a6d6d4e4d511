import { Array as Arr, Context, DateTime, Effect, Layer, Option, Order as Ordering } from "effect"
import type { UserId } from "../accounts/User.ts"
import { Providers } from "../provider/Providers.ts"
import type { ProxyProvider } from "../provider/ProxyProvider.ts"
import type { LiveOrder } from "./LiveOrder.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { type MobileSnapshot, snapshot } from "./MobileSnapshot.ts"
import type { Order, OrderId } from "./Order.ts"
import { type ProviderDown, ProxyBusy, ProxyNotLive } from "./OrderErrors.ts"
import * as ProviderCall from "./ProviderCall.ts"
import { ProxiesRepo } from "./ProxiesRepo.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import { statusAt } from "./ProxyDrift.ts"
import { mobileOnly, type NotOperable, ProxyOperations } from "./ProxyOperations.ts"

/** What mobile rotating proxies are to their owners: what they see of one, how they mark it, how they end it. */
export class MobileProxies extends Context.Service<
  MobileProxies,
  {
    /** The device signatures that some provider takes, sorted. */
    readonly signatures: ReadonlyArray<string>
    /** An order as its proxy is at this moment. */
    readonly show: (order: Order) => Effect.Effect<MobileSnapshot, ProviderDown>
    readonly setTags: (
      owner: UserId,
      id: OrderId,
      tags: ReadonlyArray<string>
    ) => Effect.Effect<MobileSnapshot, NotOperable>
    /**
     * Ends the proxy and its order for ever; what was paid for is forfeited. A provider that takes nothing back lets
     * the proxy run out, which is no longer the customer's all the same.
     */
    readonly release: (owner: UserId, id: OrderId) => Effect.Effect<MobileSnapshot, NotOperable>
  }
>()("app/orders/MobileProxies") {
  static readonly layerNoDeps = Layer.effect(
    MobileProxies,
    Effect.gen(function* () {
      const providers = yield* Providers
      const live = yield* LiveProxies
      const operations = yield* ProxyOperations
      const repo = yield* ProxiesRepo
      const changes = yield* ProxyChangesRepo

      const signatures = Arr.sort(new Set(providers.all.flatMap((provider) => provider.signatures)), Ordering.String)

      const show = Effect.fn("MobileProxies.show")(function* (order: Order) {
        const proxy = yield* live.read(order)
        return snapshot({ ...order, proxy_status: statusAt(order, proxy, yield* DateTime.now) }, proxy)
      })

      const setTags = Effect.fn("MobileProxies.setTags")((owner: UserId, id: OrderId, tags: ReadonlyArray<string>) =>
        operations.during(
          owner,
          id,
          mobileOnly,
          Effect.fnUntraced(function* (order) {
            const seen = yield* show(order)
            const tagged = yield* repo.setTags(id, tags, yield* DateTime.now)
            if (Option.isNone(tagged)) return yield* new ProxyNotLive()
            return { ...seen, tags, updated_at: DateTime.formatIso(tagged.value.updated_at) }
          })
        )
      )

      const end = Effect.fnUntraced(function* (order: LiveOrder, provider: ProxyProvider) {
        if (yield* changes.hasPending(order.id)) return yield* new ProxyBusy({ details: {} })
        yield* operations.expectChange(order)
        if (provider.release !== undefined) yield* ProviderCall.answered(provider.release(order.provider_proxy_id))
        const cancelled = yield* repo.cancel(order.id, yield* DateTime.now)
        if (Option.isNone(cancelled)) return yield* new ProxyNotLive()
        return snapshot(cancelled.value, undefined)
      })

      const release = Effect.fn("MobileProxies.release")((owner: UserId, id: OrderId) =>
        operations.during(owner, id, mobileOnly, end)
      )

      return MobileProxies.of({ signatures, show, setTags, release })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([LiveProxies.layer, ProxyOperations.layer, ProxiesRepo.layer, ProxyChangesRepo.layer])
  )
}
