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

/** A proxy gets another exit address at most once in this time. */
const rotationInterval = Duration.seconds(5)

/** How many whole seconds a proxy has to wait before it may be rotated again. */
const waitOf = ({ rotated_at }: LiveOrder, now: DateTime.Utc): number => {
  if (rotated_at === null) return 0
  const left = Duration.subtract(rotationInterval, DateTime.distance(rotated_at, now))
  return Math.max(0, Math.ceil(Duration.toSeconds(left)))
}

/** What the provider is told; the answer is the proxy as it is then. */
const makeChanges = Effect.gen(function* () {
  const guard = yield* OperationGuard
  const repo = yield* ProxiesRepo

  /** The rotation counts from before it is asked for, so that nobody gets more of them by leaving early. */
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

/** What only mobile rotating proxies have (specification section 4.5), and what their owners see of them. */
export class MobileProxies extends Context.Service<
  MobileProxies,
  {
    /** The device signatures that some provider takes, sorted. */
    readonly signatures: ReadonlyArray<string>
    /** An order as its proxy is at this moment. */
    readonly read: (order: Order) => Effect.Effect<MobileSnapshotView, ProviderDown>
    /** Gives the proxy another exit address. */
    readonly reset: (owner: UserId, id: OrderId) => Effect.Effect<Synced, NotChanged | RateLimited>
    readonly setAccess: (owner: UserId, id: OrderId, access: MobileAccess) => Effect.Effect<Synced, NotChanged>
    readonly setSignature: (
      owner: UserId,
      id: OrderId,
      signature: string
    ) => Effect.Effect<Synced, NotChanged | RequestInvalid>
    /** Answers what is known of the proxy when its provider does not answer. */
    readonly setTags: (
      owner: UserId,
      id: OrderId,
      tags: ReadonlyArray<string>
    ) => Effect.Effect<MobileSnapshotView, NotAdmitted>
    /**
     * Ends the proxy and its order for ever; what was paid for is forfeited. A provider that takes nothing back lets
     * the proxy run out, which is no longer the customer's all the same.
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
