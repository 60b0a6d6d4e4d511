import { Array as Arr, Context, DateTime, Duration, Effect, Layer, Order as Ordering } from "effect"
import type { Caller } from "../../accounts/Caller.ts"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Providers } from "../../provider/Providers.ts"
import type { ProxyProvider } from "../../provider/ProxyProvider.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { type MobileSnapshotView, mobileSnapshotView } from "./MobileSnapshotView.ts"
import { mobileOnly, type NotChanged, OperationGuard } from "./OperationGuard.ts"
import type { Order, OrderId } from "../Order.ts"
import { OperationUnsupported, type ProviderDown } from "./ProxyErrors.ts"
import { ProxiesRepo } from "./ProxiesRepo.ts"
import { ProxyHistory } from "./ProxyHistory.ts"
import type { Synced } from "./ProxySync.ts"

type By = Caller["Service"]

/** The least time between two rotations of a proxy. */
const rotationInterval = Duration.seconds(5)

/** The wait before the next rotation, in whole seconds. */
const waitOf = ({ rotated_at }: LiveOrder, now: DateTime.Utc): number => {
  if (rotated_at === null) return 0
  const left = Duration.subtract(rotationInterval, DateTime.distance(rotated_at, now))
  return Math.max(0, Math.ceil(Duration.toSeconds(left)))
}

/** Changes that the provider makes. Each returns the changed proxy. */
const makeChanges = Effect.gen(function* () {
  const guard = yield* OperationGuard
  const history = yield* ProxyHistory
  const repo = yield* ProxiesRepo

  /** Stores the rotation before the provider makes it: a client that disconnects early gains no extra rotation. */
  const rotate = Effect.fnUntraced(function* (order: LiveOrder, provider: ProxyProvider) {
    const now = yield* DateTime.now
    const retry_after = waitOf(order, now)
    if (retry_after > 0) return yield* RateLimited.after(retry_after)
    const rotation = provider.rotate?.(order.provider_proxy_id)
    if (rotation === undefined) return yield* new OperationUnsupported()
    const takenBack = Effect.tapError(rotation, () => repo.setRotated(order.id, order.rotated_at))
    return yield* guard.change(order, Effect.andThen(repo.setRotated(order.id, now), takenBack))
  })

  const reset = Effect.fn("MobileProxies.reset")((by: By, id: OrderId) =>
    Effect.tap(guard.during(by.user_id, id, mobileOnly, rotate), history.record(by, id, "rotated"))
  )

  const signed = (signature: string) =>
    Effect.fnUntraced(function* (order: LiveOrder, provider: ProxyProvider) {
      const known = provider.signatures
      if (provider.setSignature === undefined) return yield* new OperationUnsupported()
      if (!known.includes(signature))
        return yield* RequestInvalid.at(["body", "signature"], `Must be one of ${known.join(", ")}`)
      return yield* guard.change(order, provider.setSignature(order.provider_proxy_id, signature))
    })

  const setSignature = Effect.fn("MobileProxies.setSignature")((by: By, id: OrderId, signature: string) =>
    Effect.tap(guard.during(by.user_id, id, mobileOnly, signed(signature)), history.record(by, id, "signature"))
  )

  return { reset, setSignature }
})

/** The operations that only mobile rotating proxies have (docs/contract.md, "Mobile rotating proxies"). */
export class MobileProxies extends Context.Service<
  MobileProxies,
  {
    /** The device signatures of all providers, sorted. */
    readonly signatures: ReadonlyArray<string>
    /** Returns an order with the present state of its proxy. */
    readonly read: (order: Order) => Effect.Effect<MobileSnapshotView, ProviderDown>
    /** Gives the proxy another exit address. */
    readonly reset: (by: By, id: OrderId) => Effect.Effect<Synced, NotChanged | RateLimited>
    readonly setSignature: (
      by: By,
      id: OrderId,
      signature: string
    ) => Effect.Effect<Synced, NotChanged | RequestInvalid>
  }
>()("app/orders/MobileProxies") {
  static readonly layerNoDeps = Layer.effect(
    MobileProxies,
    Effect.gen(function* () {
      const providers = yield* Providers
      const live = yield* LiveProxies
      const changes = yield* makeChanges

      const signatures = Arr.sort(new Set(providers.all.flatMap((provider) => provider.signatures)), Ordering.String)

      const read = Effect.fn("MobileProxies.read")(function* (order: Order) {
        return yield* mobileSnapshotView(order, yield* live.read(order))
      })

      return MobileProxies.of({ ...changes, signatures, read })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([LiveProxies.layer, OperationGuard.layer, ProxiesRepo.layer, ProxyHistory.layer])
  )
}
