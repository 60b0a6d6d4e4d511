import { Context, DateTime, Effect, Layer } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { ProviderRefused, ProviderUnavailable } from "../../provider/ProviderErrors.ts"
import type { ProviderProxy, ProxyProvider } from "../../provider/ProxyProvider.ts"
import { isLiveAt, type LiveOrder } from "../LiveOrder.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { isMobileRotating, type Order, type OrderId } from "../Order.ts"
import {
  OperationUnsupported,
  type ProviderDown,
  type ProviderSaidNo,
  type ProxyBusy,
  ProxyNotLive,
  ProxyStopped,
  WrongProxyKind
} from "./ProxyErrors.ts"
import type { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"
import { Orders } from "../Orders.ts"
import * as ProviderCall from "./ProviderCall.ts"
import { ProxiesRepo } from "./ProxiesRepo.ts"
import { ProxyHold } from "./ProxyHold.ts"
import { ProxySync } from "./ProxySync.ts"

/** Refuses orders whose kind the operation does not support. */
export type KindRule = (order: Order) => Effect.Effect<void, WrongProxyKind>

export const anyKind: KindRule = () => Effect.void

export const mobileOnly: KindRule = (order) =>
  isMobileRotating(order)
    ? Effect.void
    : Effect.fail(new WrongProxyKind({ detail: "This operation is for mobile rotating proxies; this one is static" }))

export const staticOnly: KindRule = (order) =>
  isMobileRotating(order)
    ? Effect.fail(
        new WrongProxyKind({
          detail:
            "This operation is for static proxies; change the source addresses of a mobile rotating proxy with its credentials"
        })
      )
    : Effect.void

/** Failures of an operation before it reads or changes the proxy. */
export type NotAdmitted = OrderNotFound | OrderNotYours | WrongProxyKind | ProxyNotLive

/** Failures of an operation that does not begin. */
export type NotOperable = NotAdmitted | ProxyStopped | ProxyBusy | ProviderDown

/** Failures of a free change. */
export type NotChanged = NotOperable | OperationUnsupported | ProviderSaidNo

/** A change by the provider; undefined when its adapter does not support the change. */
type Ability = Effect.Effect<ProviderProxy, ProviderRefused | ProviderUnavailable> | undefined

/** An order and its live proxy after a change. */
interface Changed {
  readonly order: Order
  readonly proxy: ProviderProxy
}

/** Guards free operations: checks owner, kind and state, holds the proxy alone, and stores the outcome. */
export class OperationGuard extends Context.Service<
  OperationGuard,
  {
    /** Returns the owner's live order of the right kind. */
    readonly admit: (owner: UserId, id: OrderId, rule: KindRule) => Effect.Effect<LiveOrder, NotAdmitted>
    /** Runs `operation` while no other operation runs on the proxy. */
    readonly during: <A, E>(
      owner: UserId,
      id: OrderId,
      rule: KindRule,
      operation: (order: LiveOrder, provider: ProxyProvider) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | NotOperable>
    /** Makes one change during an operation. If the answer is lost, the next sync reads the result. */
    readonly change: (order: LiveOrder, ability: Ability) => Effect.Effect<Changed, NotChanged>
  }
>()("app/orders/OperationGuard") {
  static readonly layerNoDeps = Layer.effect(
    OperationGuard,
    Effect.gen(function* () {
      const orders = yield* Orders
      const hold = yield* ProxyHold
      const live = yield* LiveProxies
      const sync = yield* ProxySync
      const repo = yield* ProxiesRepo

      const alive = Effect.fnUntraced(function* (order: Order) {
        return isLiveAt(order, yield* DateTime.now) ? order : yield* new ProxyNotLive()
      })

      const admit = Effect.fn("OperationGuard.admit")(function* (owner: UserId, id: OrderId, rule: KindRule) {
        const order = yield* orders.get(owner, id)
        yield* rule(order)
        return yield* alive(order)
      })

      const during = Effect.fn("OperationGuard.during")(function* <A, E>(
        owner: UserId,
        id: OrderId,
        rule: KindRule,
        operation: (order: LiveOrder, provider: ProxyProvider) => Effect.Effect<A, E>
      ) {
        yield* admit(owner, id, rule)
        const alone = Effect.fnUntraced(function* (held: Order, isStopped: boolean) {
          if (isStopped) return yield* new ProxyStopped({ details: {} })
          const order = yield* alive(held)
          return yield* operation(order, yield* live.provider(order))
        })
        return yield* hold.during(id, alone)
      })

      const change = Effect.fn("OperationGuard.change")(function* (order: LiveOrder, ability: Ability) {
        if (ability === undefined) return yield* new OperationUnsupported()
        yield* repo.syncAt(order.id, yield* DateTime.now)
        const proxy = yield* ProviderCall.agreed(ability)
        return { order: yield* sync.store(order, proxy), proxy }
      })

      return OperationGuard.of({ admit, during, change })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Orders.layer, ProxyHold.layer, LiveProxies.layer, ProxySync.layer, ProxiesRepo.layer])
  )
}
