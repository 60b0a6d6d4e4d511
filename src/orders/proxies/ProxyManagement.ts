import { Context, Effect, Layer } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { Order, OrderId } from "../Order.ts"
import { anyKind, type NotChanged, type NotOperable, OperationGuard, staticOnly } from "./OperationGuard.ts"
import { ProxySync, type Synced } from "./ProxySync.ts"

/** Free operations on proxies of both kinds, and the whitelist of static ones (docs/contract.md, "Static proxies"). */
export class ProxyManagement extends Context.Service<
  ProxyManagement,
  {
    /** Replaces the whitelist. With an empty one, every client needs username and password. */
    readonly setWhitelist: (
      owner: UserId,
      id: OrderId,
      addresses: ReadonlyArray<string>
    ) => Effect.Effect<Order, NotChanged>
    readonly setProtocol: (owner: UserId, id: OrderId, protocol: "HTTP" | "SOCKS5") => Effect.Effect<Synced, NotChanged>
    /** Updates the order immediately from its provider. */
    readonly sync: (owner: UserId, id: OrderId) => Effect.Effect<Synced, NotOperable>
  }
>()("app/orders/ProxyManagement") {
  static readonly layerNoDeps = Layer.effect(
    ProxyManagement,
    Effect.gen(function* () {
      const guard = yield* OperationGuard
      const proxySync = yield* ProxySync

      const setWhitelist = Effect.fn("ProxyManagement.setWhitelist")(function* (
        owner: UserId,
        id: OrderId,
        addresses: ReadonlyArray<string>
      ) {
        const { order } = yield* guard.during(owner, id, staticOnly, (order, provider) =>
          guard.change(order, provider.setAccess?.(order.provider_proxy_id, { whitelisted_ips: addresses }))
        )
        return order
      })

      const setProtocol = Effect.fn("ProxyManagement.setProtocol")(
        (owner: UserId, id: OrderId, protocol: "HTTP" | "SOCKS5") =>
          guard.during(owner, id, anyKind, (order, provider) =>
            guard.change(order, provider.setProtocol?.(order.provider_proxy_id, protocol))
          )
      )

      const sync = Effect.fn("ProxyManagement.sync")((owner: UserId, id: OrderId) =>
        guard.during(owner, id, anyKind, proxySync.sync)
      )

      return ProxyManagement.of({ setWhitelist, setProtocol, sync })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([OperationGuard.layer, ProxySync.layer]))
}
