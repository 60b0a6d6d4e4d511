import { Context, Effect, Layer, Option } from "effect"
import type { LimitReached } from "../../wallet/adjustments/MoneyErrors.ts"
import { StaffLimits } from "../../wallet/adjustments/StaffLimits.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import type { OrderId } from "../Order.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import { ProxyHistory } from "../proxies/ProxyHistory.ts"
import { ProxyHold } from "../proxies/ProxyHold.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import * as CompleteChange from "./CompleteChange.ts"
import * as GiveChange from "./GiveChange.ts"
import * as MakeProxyChange from "./MakeProxyChange.ts"
import { isGiven, type ProxyChange, type ProxyChangeId } from "./ProxyChange.ts"
import type { CannotExtend, TooMuchGiven } from "./ProxyChangeErrors.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

/** Somebody waits for a gift, so a provider that does not answer refuses it at once. */
const giverWaits: MakeProxyChange.Waiter = { isWaiting: () => true, promiseRefusal: () => true }
/** The customer who paid does not wait, and is notified of a refund. */
const customerAway: MakeProxyChange.Waiter = { isWaiting: () => false, promiseRefusal: () => false }

/** Changes of proxies that staff and the warranty give at no charge. They are recorded first, and made like those that customers buy. */
export class GivenChanges extends Context.Service<
  GivenChanges,
  {
    /** Records a replacement in the transaction that has locked the order. */
    readonly replacement: (order: LiveOrder, given: GiveChange.Given) => Effect.Effect<void>
    /** Records a replacement by the warranty in the transaction that has locked the order. */
    readonly warranty: (order: LiveOrder, claim: GiveChange.Claim) => Effect.Effect<void>
    /** Records time in the transaction that has locked the person and the order, within the limits of both. */
    readonly time: (
      order: LiveOrder,
      given: GiveChange.Given,
      time: GiveChange.GivenTime
    ) => Effect.Effect<void, CannotExtend | LimitReached | TooMuchGiven>
    /** Makes or looks up the pending change of an order. Fails when it was refused. */
    readonly settle: (id: OrderId) => Effect.Effect<void, unknown>
    /** Makes a change that is on record, waits for it at most 10 seconds, and returns its proxy. */
    readonly complete: Effect.Success<typeof CompleteChange.make>
    readonly find: (id: ProxyChangeId) => Effect.Effect<Option.Option<ProxyChange>>
  }
>()("app/orders/GivenChanges") {
  static readonly layerNoDeps = Layer.effect(
    GivenChanges,
    Effect.gen(function* () {
      const complete = yield* CompleteChange.make
      const give = yield* GiveChange.make
      const makeChange = yield* MakeProxyChange.make
      const repo = yield* ProxyChangesRepo

      const settle = Effect.fn("GivenChanges.settle")(function* (id: OrderId) {
        const change = Option.getOrUndefined(yield* repo.pendingOf(id))
        if (change !== undefined) yield* makeChange(change, isGiven(change) ? giverWaits : customerAway)
      })

      return GivenChanges.of({ ...give, settle, complete, find: repo.find })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      AutoRenewalRepo.layer,
      LiveProxies.layer,
      OrdersRepo.layer,
      ProxyChangesRepo.layer,
      ProxyHistory.layer,
      ProxyHold.layer,
      StaffLimits.layer
    ])
  )
}
