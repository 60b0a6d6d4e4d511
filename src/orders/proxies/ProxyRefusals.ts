import { Context, Effect, Layer } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { ProxyProvider } from "../../provider/ProxyProvider.ts"
import type { OrderId } from "../Order.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { anyKind, type NotAdmitted, OperationGuard } from "./OperationGuard.ts"
import * as ProviderCall from "./ProviderCall.ts"
import { OperationUnsupported, type ProviderDown } from "./ProxyErrors.ts"

/** Equal refusals of a proxy on one UTC day. */
export type Refused = Effect.Success<ReturnType<NonNullable<ProxyProvider["refusals"]>>>[number]

/** The connections that the gateway of a proxy refused. */
export class ProxyRefusals extends Context.Service<
  ProxyRefusals,
  {
    /** Lists the refusals of the last 7 days, the newest first. */
    readonly list: (
      owner: UserId,
      id: OrderId
    ) => Effect.Effect<ReadonlyArray<Refused>, NotAdmitted | OperationUnsupported | ProviderDown>
  }
>()("app/orders/ProxyRefusals") {
  static readonly layerNoDeps = Layer.effect(
    ProxyRefusals,
    Effect.gen(function* () {
      const guard = yield* OperationGuard
      const live = yield* LiveProxies

      const list = Effect.fn("ProxyRefusals.list")(function* (owner: UserId, id: OrderId) {
        const order = yield* guard.admit(owner, id, anyKind)
        const { refusals } = yield* live.provider(order)
        if (refusals === undefined) return yield* new OperationUnsupported()
        return yield* ProviderCall.answered(refusals(order.provider_proxy_id))
      })

      return ProxyRefusals.of({ list })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([LiveProxies.layer, OperationGuard.layer]))
}
