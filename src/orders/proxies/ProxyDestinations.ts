import { Context, Effect, Layer } from "effect"
import type { Caller } from "../../accounts/Caller.ts"
import type { UserId } from "../../accounts/User.ts"
import type { ProxyProvider } from "../../provider/ProxyProvider.ts"
import type { OrderId } from "../Order.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { anyKind, type NotAdmitted, type NotChanged, OperationGuard } from "./OperationGuard.ts"
import * as ProviderCall from "./ProviderCall.ts"
import { OperationUnsupported, type ProviderDown } from "./ProxyErrors.ts"
import { ProxyHistory } from "./ProxyHistory.ts"

type Rules = Parameters<NonNullable<ProxyProvider["destinations"]>["set"]>[1]

/** A rule of the owner about the destinations of a proxy. */
export type DestinationRule = Rules[number]

/** The owner's rules about the destinations of a proxy. */
export class ProxyDestinations extends Context.Service<
  ProxyDestinations,
  {
    readonly read: (
      owner: UserId,
      id: OrderId
    ) => Effect.Effect<Rules, NotAdmitted | OperationUnsupported | ProviderDown>
    /** Replaces all rules. Open connections that they forbid end within a second. */
    readonly set: (by: Caller["Service"], id: OrderId, rules: Rules) => Effect.Effect<Rules, NotChanged>
  }
>()("app/orders/ProxyDestinations") {
  static readonly layerNoDeps = Layer.effect(
    ProxyDestinations,
    Effect.gen(function* () {
      const guard = yield* OperationGuard
      const history = yield* ProxyHistory
      const live = yield* LiveProxies

      const read = Effect.fn("ProxyDestinations.read")(function* (owner: UserId, id: OrderId) {
        const order = yield* guard.admit(owner, id, anyKind)
        const { destinations } = yield* live.provider(order)
        if (destinations === undefined) return yield* new OperationUnsupported()
        return yield* ProviderCall.answered(destinations.read(order.provider_proxy_id))
      })

      const set = Effect.fn("ProxyDestinations.set")(function* (by: Caller["Service"], id: OrderId, rules: Rules) {
        yield* guard.during(by.user_id, id, anyKind, (order, provider) =>
          guard.change(order, provider.destinations?.set(order.provider_proxy_id, rules))
        )
        yield* history.record(by, id, "destinations")
        return rules
      })

      return ProxyDestinations.of({ read, set })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([LiveProxies.layer, OperationGuard.layer, ProxyHistory.layer])
  )
}
