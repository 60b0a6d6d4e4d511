import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import type { Caller } from "../../accounts/Caller.ts"
import { isMobileRotating, type Order, type OrderId } from "../Order.ts"
import type { AccessChange } from "./AccessChange.ts"
import { LiveProxies } from "./LiveProxies.ts"
import {
  anyKind,
  type NotAdmitted,
  type NotChanged,
  type NotOperable,
  OperationGuard,
  staticOnly
} from "./OperationGuard.ts"
import { ProxiesRepo } from "./ProxiesRepo.ts"
import { ProxyNotLive } from "./ProxyErrors.ts"
import { ProxyEnd } from "./ProxyEnd.ts"
import { ProxyHistory } from "./ProxyHistory.ts"
import { ProxySync, type Synced } from "./ProxySync.ts"

type By = Caller["Service"]

/** Hexadecimal, so that customers can paste it into a URL. */
const randomPassword = () => Hex.encode(SecureRandom.randomBytesUnsafe(16))

/** Changes that the provider makes. Each returns the changed proxy. */
const makeChanges = Effect.gen(function* () {
  const guard = yield* OperationGuard
  const history = yield* ProxyHistory

  const setWhitelist = Effect.fn("ProxyManagement.setWhitelist")(function* (
    by: By,
    id: OrderId,
    addresses: ReadonlyArray<string>
  ) {
    const { order } = yield* guard.during(by.user_id, id, staticOnly, (order, provider) =>
      guard.change(order, provider.setAccess?.(order.provider_proxy_id, { whitelisted_ips: addresses }))
    )
    yield* history.record(by, id, "whitelist")
    return order
  })

  const setAccess = Effect.fn("ProxyManagement.setAccess")(function* (
    by: By,
    id: OrderId,
    { ips, passwords }: AccessChange
  ) {
    const changed = yield* guard.during(by.user_id, id, anyKind, (order, provider) =>
      guard.change(
        order,
        provider.setAccess?.(order.provider_proxy_id, {
          ...(ips && { whitelisted_ips: ips }),
          ...(passwords && { logins: passwords.map(({ login, password }) => ({ username: login, password })) })
        })
      )
    )
    if (ips !== undefined) yield* history.record(by, id, "whitelist")
    if (passwords !== undefined) yield* history.record(by, id, "credentials")
    return changed
  })

  const newPassword = Effect.fn("ProxyManagement.newPassword")(function* (by: By, id: OrderId) {
    const changed = yield* guard.during(by.user_id, id, anyKind, (order, provider) => {
      const login = { username: order.username ?? "", password: randomPassword() }
      return guard.change(order, provider.setAccess?.(order.provider_proxy_id, { logins: [login] }))
    })
    yield* history.record(by, id, "credentials")
    return changed
  })

  const setProtocol = Effect.fn("ProxyManagement.setProtocol")(function* (
    by: By,
    id: OrderId,
    protocol: "HTTP" | "SOCKS5"
  ) {
    const changed = yield* guard.during(by.user_id, id, anyKind, (order, provider) =>
      guard.change(order, provider.setProtocol?.(order.provider_proxy_id, protocol))
    )
    yield* history.record(by, id, "protocol")
    return changed
  })

  return { setWhitelist, setAccess, newPassword, setProtocol }
})

/**
 * Free operations on proxies of both kinds, and the whitelist of static ones (docs/contract.md, "Static proxies" and
 * "Mobile rotating proxies").
 */
export class ProxyManagement extends Context.Service<
  ProxyManagement,
  {
    /** Replaces the whitelist. With an empty one, every client needs username and password. */
    readonly setWhitelist: (by: By, id: OrderId, addresses: ReadonlyArray<string>) => Effect.Effect<Order, NotChanged>
    /** Replaces the whitelist, the logins, or both. */
    readonly setAccess: (by: By, id: OrderId, access: AccessChange) => Effect.Effect<Synced, NotChanged>
    /** Gives the first login a random password, and removes all others. */
    readonly newPassword: (by: By, id: OrderId) => Effect.Effect<Synced, NotChanged>
    readonly setProtocol: (by: By, id: OrderId, protocol: "HTTP" | "SOCKS5") => Effect.Effect<Synced, NotChanged>
    /** Returns a mobile rotating proxy without its present state when its provider does not answer. */
    readonly setTags: (by: By, id: OrderId, tags: ReadonlyArray<string>) => Effect.Effect<Synced, NotAdmitted>
    /**
     * Ends the proxy and its order without a refund. If the provider cannot take a proxy back, the proxy runs until
     * its end at the provider, but the customer loses it immediately.
     */
    readonly release: (by: By, id: OrderId) => Effect.Effect<Order, NotOperable>
    /** Updates the order immediately from its provider. */
    readonly sync: (by: By, id: OrderId) => Effect.Effect<Synced, NotOperable>
  }
>()("app/orders/ProxyManagement") {
  static readonly layerNoDeps = Layer.effect(
    ProxyManagement,
    Effect.gen(function* () {
      const guard = yield* OperationGuard
      const history = yield* ProxyHistory
      const live = yield* LiveProxies
      const proxyEnd = yield* ProxyEnd
      const proxySync = yield* ProxySync
      const repo = yield* ProxiesRepo
      const changes = yield* makeChanges

      const setTags = Effect.fn("ProxyManagement.setTags")(function* (
        { user_id }: By,
        id: OrderId,
        tags: ReadonlyArray<string>
      ) {
        yield* guard.admit(user_id, id, anyKind)
        const order = Option.getOrUndefined(yield* repo.setTags(id, tags, yield* DateTime.now))
        if (order === undefined) return yield* new ProxyNotLive()
        // Only the snapshot of a mobile rotating proxy shows what its provider knows.
        const read = isMobileRotating(order) ? live.read(order) : Effect.undefined
        return { order, proxy: yield* Effect.orElseSucceed(read, () => undefined) }
      })

      const release = Effect.fn("ProxyManagement.release")(function* (by: By, id: OrderId) {
        const ended = yield* guard.during(by.user_id, id, anyKind, proxyEnd.end)
        yield* history.record(by, id, "released")
        return ended
      })

      const sync = Effect.fn("ProxyManagement.sync")(({ user_id }: By, id: OrderId) =>
        guard.during(user_id, id, anyKind, proxySync.sync)
      )

      return ProxyManagement.of({ ...changes, setTags, release, sync })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      LiveProxies.layer,
      OperationGuard.layer,
      ProxiesRepo.layer,
      ProxyEnd.layer,
      ProxyHistory.layer,
      ProxySync.layer
    ])
  )
}
