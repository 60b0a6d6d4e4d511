import { Context, Effect, Layer } from "effect"
import type { UserId } from "../accounts/User.ts"
import { isMobileRotating, type Order, type OrderId } from "./Order.ts"
import { WrongProxyKind } from "./OrderErrors.ts"
import { anyKind, type KindRule, type NotChanged, type NotOperable, ProxyOperations } from "./ProxyOperations.ts"
import { ProxySync, type Synced } from "./ProxySync.ts"

const staticOnly: KindRule = (order) =>
  isMobileRotating(order)
    ? Effect.fail(
        new WrongProxyKind({
          detail:
            "This operation is for static proxies; a mobile rotating one takes its source addresses as `ips` of POST /orders/{order_id}/credentials"
        })
      )
    : Effect.void

/** The free operations on proxies of every kind, and the whitelist of static ones (specification section 4.4). */
export class ProxyManagement extends Context.Service<
  ProxyManagement,
  {
    /** Replaces the whitelist; without addresses, username and password decide. */
    readonly setWhitelist: (
      owner: UserId,
      id: OrderId,
      addresses: ReadonlyArray<string>
    ) => Effect.Effect<Order, NotChanged>
    readonly setProtocol: (owner: UserId, id: OrderId, protocol: "HTTP" | "SOCKS5") => Effect.Effect<Synced, NotChanged>
    /** Brings the order to what the provider has, at once. */
    readonly sync: (owner: UserId, id: OrderId) => Effect.Effect<Synced, NotOperable>
  }
>()("app/orders/ProxyManagement") {
  static readonly layerNoDeps = Layer.effect(
    ProxyManagement,
    Effect.gen(function* () {
      const operations = yield* ProxyOperations
      const proxySync = yield* ProxySync

      const setWhitelist = Effect.fn("ProxyManagement.setWhitelist")(function* (
        owner: UserId,
        id: OrderId,
        addresses: ReadonlyArray<string>
      ) {
        const { order } = yield* operations.during(owner, id, staticOnly, (order, provider) =>
          operations.change(order, provider.setAccess?.(order.provider_proxy_id, { whitelisted_ips: addresses }))
        )
        return order
      })

      const setProtocol = Effect.fn("ProxyManagement.setProtocol")(
        (owner: UserId, id: OrderId, protocol: "HTTP" | "SOCKS5") =>
          operations.during(owner, id, anyKind, (order, provider) =>
            operations.change(order, provider.setProtocol?.(order.provider_proxy_id, protocol))
          )
      )

      const sync = Effect.fn("ProxyManagement.sync")((owner: UserId, id: OrderId) =>
        operations.during(owner, id, anyKind, proxySync.sync)
      )

      return ProxyManagement.of({ setWhitelist, setProtocol, sync })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([ProxyOperations.layer, ProxySync.layer]))
}
