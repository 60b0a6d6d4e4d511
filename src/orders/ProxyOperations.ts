import { Context, DateTime, Effect, Layer } from "effect"
import type { UserId } from "../accounts/User.ts"
import type { ProviderRefused, ProviderUnavailable } from "../provider/ProviderErrors.ts"
import type { ProviderProxy, ProxyProvider } from "../provider/ProxyProvider.ts"
import { isLiveAt, type LiveOrder } from "./LiveOrder.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { isMobileRotating, type Order, type OrderId } from "./Order.ts"
import {
  OperationUnsupported,
  type OrderNotFound,
  type OrderNotYours,
  type ProviderDown,
  type ProviderSaidNo,
  type ProxyBusy,
  ProxyNotLive,
  WrongProxyKind
} from "./OrderErrors.ts"
import { Orders } from "./Orders.ts"
import * as ProviderCall from "./ProviderCall.ts"
import { ProxiesRepo } from "./ProxiesRepo.ts"
import { ProxyHold } from "./ProxyHold.ts"
import { ProxySync } from "./ProxySync.ts"

/** Which orders an operation is for. */
export type KindRule = (order: Order) => Effect.Effect<void, WrongProxyKind>

export const anyKind: KindRule = () => Effect.void

export const mobileOnly: KindRule = (order) =>
  isMobileRotating(order)
    ? Effect.void
    : Effect.fail(new WrongProxyKind({ detail: "This operation is for mobile rotating proxies; this one is static" }))

/** Why an operation does not begin. */
export type NotOperable = OrderNotFound | OrderNotYours | WrongProxyKind | ProxyNotLive | ProxyBusy | ProviderDown

/** Why a free change is not made. */
export type NotChanged = NotOperable | OperationUnsupported | ProviderSaidNo

/** What a provider can do for a proxy, or undefined when it cannot. */
type Ability = Effect.Effect<ProviderProxy, ProviderRefused | ProviderUnavailable> | undefined

/** An order and its live proxy after a change. */
interface Changed {
  readonly order: Order
  readonly proxy: ProviderProxy
}

/** What customers do with their live proxies: one thing at a time for each proxy, stored as the provider made it. */
export class ProxyOperations extends Context.Service<
  ProxyOperations,
  {
    /** Runs `operation` on a proxy of the owner's, alone. */
    readonly during: <A, E>(
      owner: UserId,
      id: OrderId,
      rule: KindRule,
      operation: (order: LiveOrder, provider: ProxyProvider) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | NotOperable>
    /** Makes one change during an operation; a rotation is put on record with its time. */
    readonly change: (
      order: LiveOrder,
      ability: Ability,
      options?: { readonly isRotation: boolean }
    ) => Effect.Effect<Changed, NotChanged>
    /** Before a provider changes a proxy: should its answer get lost, the next sync asks for it. */
    readonly expectChange: (order: LiveOrder) => Effect.Effect<void>
  }
>()("app/orders/ProxyOperations") {
  static readonly layerNoDeps = Layer.effect(
    ProxyOperations,
    Effect.gen(function* () {
      const orders = yield* Orders
      const hold = yield* ProxyHold
      const live = yield* LiveProxies
      const sync = yield* ProxySync
      const repo = yield* ProxiesRepo

      const during = Effect.fn("ProxyOperations.during")(function* <A, E>(
        owner: UserId,
        id: OrderId,
        rule: KindRule,
        operation: (order: LiveOrder, provider: ProxyProvider) => Effect.Effect<A, E>
      ) {
        yield* rule(yield* orders.get(owner, id))
        const alone = Effect.fnUntraced(function* (order: Order) {
          if (!isLiveAt(order, yield* DateTime.now)) return yield* new ProxyNotLive()
          return yield* operation(order, yield* live.provider(order))
        })
        return yield* hold.during(id, alone)
      })

      const expectChange = Effect.fnUntraced(function* ({ id }: LiveOrder) {
        yield* repo.syncAt(id, yield* DateTime.now)
      })

      const change = Effect.fn("ProxyOperations.change")(function* (
        order: LiveOrder,
        ability: Ability,
        { isRotation } = { isRotation: false }
      ) {
        if (ability === undefined) return yield* new OperationUnsupported()
        yield* expectChange(order)
        const proxy = yield* ProviderCall.agreed(ability)
        const rotatedAt = isRotation ? yield* DateTime.now : undefined
        return { order: yield* sync.store(order, proxy, rotatedAt), proxy }
      })

      return ProxyOperations.of({ during, change, expectChange })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Orders.layer, ProxyHold.layer, LiveProxies.layer, ProxySync.layer, ProxiesRepo.layer])
  )
}
