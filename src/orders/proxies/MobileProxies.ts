import { Array as Arr, Context, DateTime, Duration, Effect, Layer, Option, Order as Ordering } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Providers } from "../../provider/Providers.ts"
import type { ProxyProvider } from "../../provider/ProxyProvider.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import { LiveProxies } from "./LiveProxies.ts"
import type { MobileAccess } from "./MobileAccess.ts"
import { type MobileSnapshotView, mobileSnapshotView } from "./MobileSnapshotView.ts"
import { mobileOnly, type NotAdmitted, type NotChanged, type NotOperable, OperationGuard } from "./OperationGuard.ts"
import type { Order, OrderId } from "../Order.ts"
import { OperationUnsupported, type ProviderDown, ProxyNotLive } from "./ProxyErrors.ts"
import { ProxiesRepo } from "./ProxiesRepo.ts"
import { ProxyEnd } from "./ProxyEnd.ts"
import type { Synced } from "./ProxySync.ts"

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

  const reset = Effect.fn("MobileProxies.reset")((owner: UserId, id: OrderId) =>
    guard.during(owner, id, mobileOnly, rotate)
  )

  const setAccess = Effect.fn("MobileProxies.setAccess")(
    (owner: UserId, id: OrderId, { ips, passwords }: MobileAccess) =>
      guard.during(owner, id, mobileOnly, (order, provider) =>
        guard.change(
          order,
          provider.setAccess?.(order.provider_proxy_id, {
            ...(ips && { whitelisted_ips: ips }),
            ...(passwords && { logins: passwords.map(({ login, password }) => ({ username: login, password })) })
          })
        )
      )
  )

  const setSignature = Effect.fn("MobileProxies.setSignature")((owner: UserId, id: OrderId, signature: string) =>
    guard.during(
      owner,
      id,
      mobileOnly,
      Effect.fnUntraced(function* (order, provider) {
        const known = provider.signatures
        if (provider.setSignature === undefined) return yield* new OperationUnsupported()
        if (!known.includes(signature))
          return yield* RequestInvalid.at(["body", "signature"], `Must be one of ${known.join(", ")}`)
        return yield* guard.change(order, provider.setSignature(order.provider_proxy_id, signature))
      })
    )
  )

  return { reset, setAccess, setSignature }
})

/** The operations of mobile rotating proxies (docs/contract.md, "Mobile rotating proxies"). */
export class MobileProxies extends Context.Service<
  MobileProxies,
  {
    /** The device signatures of all providers, sorted. */
    readonly signatures: ReadonlyArray<string>
    /** Returns an order with the present state of its proxy. */
    readonly read: (order: Order) => Effect.Effect<MobileSnapshotView, ProviderDown>
    /** Gives the proxy another exit address. */
    readonly reset: (owner: UserId, id: OrderId) => Effect.Effect<Synced, NotChanged | RateLimited>
    readonly setAccess: (owner: UserId, id: OrderId, access: MobileAccess) => Effect.Effect<Synced, NotChanged>
    readonly setSignature: (
      owner: UserId,
      id: OrderId,
      signature: string
    ) => Effect.Effect<Synced, NotChanged | RequestInvalid>
    /** Returns the last known state of the proxy when its provider does not answer. */
    readonly setTags: (
      owner: UserId,
      id: OrderId,
      tags: ReadonlyArray<string>
    ) => Effect.Effect<MobileSnapshotView, NotAdmitted>
    /**
     * Ends the proxy and its order without a refund. If the provider cannot take a proxy back, the proxy runs until
     * its end at the provider, but the customer loses it immediately.
     */
    readonly release: (owner: UserId, id: OrderId) => Effect.Effect<MobileSnapshotView, NotOperable>
  }
>()("app/orders/MobileProxies") {
  static readonly layerNoDeps = Layer.effect(
    MobileProxies,
    Effect.gen(function* () {
      const providers = yield* Providers
      const live = yield* LiveProxies
      const guard = yield* OperationGuard
      const repo = yield* ProxiesRepo
      const proxyEnd = yield* ProxyEnd
      const changes = yield* makeChanges

      const signatures = Arr.sort(new Set(providers.all.flatMap((provider) => provider.signatures)), Ordering.String)

      const read = Effect.fn("MobileProxies.read")(function* (order: Order) {
        return yield* mobileSnapshotView(order, yield* live.read(order))
      })

      const setTags = Effect.fn("MobileProxies.setTags")(function* (
        owner: UserId,
        id: OrderId,
        tags: ReadonlyArray<string>
      ) {
        yield* guard.admit(owner, id, mobileOnly)
        const tagged = Option.getOrUndefined(yield* repo.setTags(id, tags, yield* DateTime.now))
        if (tagged === undefined) return yield* new ProxyNotLive()
        return yield* Effect.catchTag(read(tagged), "ProviderDown", () => mobileSnapshotView(tagged, undefined))
      })

      const end = (order: LiveOrder, provider: ProxyProvider) =>
        Effect.flatMap(proxyEnd.end(order, provider), (cancelled) => mobileSnapshotView(cancelled, undefined))

      const release = Effect.fn("MobileProxies.release")((owner: UserId, id: OrderId) =>
        guard.during(owner, id, mobileOnly, end)
      )

      return MobileProxies.of({ ...changes, signatures, read, setTags, release })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([LiveProxies.layer, OperationGuard.layer, ProxiesRepo.layer, ProxyEnd.layer])
  )
}
