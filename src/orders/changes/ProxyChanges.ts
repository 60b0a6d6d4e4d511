import { Context, Effect, Layer, Option } from "effect"
import type { ProviderProxy } from "../../provider/ProxyProvider.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import type { ProviderDown, ProviderSaidNo, ProxyBusy } from "../proxies/ProxyErrors.ts"
import type { ProxyChange, ProxyChangeId } from "./ProxyChange.ts"
import * as ProxyChangeAttempt from "./ProxyChangeAttempt.ts"
import * as ProxyChangeCharge from "./ProxyChangeCharge.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import { ProxyHold } from "../proxies/ProxyHold.ts"

/**
 * Billed changes of proxies: charged together with the record of what for, made once by the provider, or refunded.
 * What a crash or a timeout leaves behind is settled by the next `settle`.
 */
export class ProxyChanges extends Context.Service<
  ProxyChanges,
  {
    /** Charges the wallet and records the pending change, in the caller's transaction. */
    readonly charge: (purchase: ProxyChangeCharge.ChangePurchase) => Effect.Effect<void, ProxyChangeCharge.ChargeError>
    /**
     * Has a pending change made, or finds out what became of it. Fails when it was refused, with the money returned;
     * answers none when that is not known yet, or when it was settled before.
     */
    readonly settle: (
      change: Pick<ProxyChange, "id" | "order_id">,
      isWaitedFor: () => boolean
    ) => Effect.Effect<Option.Option<ProviderProxy>, ProviderSaidNo | ProviderDown | ProxyBusy>
    readonly find: (id: ProxyChangeId) => Effect.Effect<Option.Option<ProxyChange>>
  }
>()("app/orders/ProxyChanges") {
  static readonly layerNoDeps = Layer.effect(
    ProxyChanges,
    Effect.gen(function* () {
      const hold = yield* ProxyHold
      const repo = yield* ProxyChangesRepo
      const attempt = yield* ProxyChangeAttempt.make

      const settle = Effect.fn("ProxyChanges.settle")(
        (change: Pick<ProxyChange, "id" | "order_id">, isWaitedFor: () => boolean) =>
          hold.during(change.order_id, (order) =>
            Effect.flatMap(repo.find(change.id), (found) => {
              const pending = Option.getOrUndefined(found)
              return pending?.status === "pending"
                ? attempt({ change: pending, order, isWaitedFor })
                : Effect.succeedNone
            })
          )
      )

      return ProxyChanges.of({ charge: yield* ProxyChangeCharge.make, settle, find: repo.find })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([AutoRenewalRepo.layer, ProxyChangesRepo.layer, ProxyHold.layer])
  )
}
