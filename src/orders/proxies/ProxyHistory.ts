import { Context, DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../../accounts/Caller.ts"
import type { UserId } from "../../accounts/User.ts"
import type { Page } from "../../platform/fields/Page.ts"
import { byCaller, byService } from "../ActedBy.ts"
import type { OrderId } from "../Order.ts"
import type { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"
import { Orders } from "../Orders.ts"
import type { ChangeKind, OrderEvent, RenewalReason } from "./OrderEvent.ts"
import { OrderEventsRepo } from "./OrderEventsRepo.ts"

/** Records who changed a proxy, and lists what happened to an order. */
export class ProxyHistory extends Context.Service<
  ProxyHistory,
  {
    /** Records a change that was made. */
    readonly record: (caller: Caller["Service"], id: OrderId, kind: ChangeKind) => Effect.Effect<void>
    /** Records that staff ended the proxy. */
    readonly released: (id: OrderId) => Effect.Effect<void>
    /** Records a renewal that failed. */
    readonly renewalFailed: (id: OrderId, reason: RenewalReason) => Effect.Effect<void>
    /** The events of an order, newest first: its purchase, its changes, its end. */
    readonly list: (
      owner: UserId,
      id: OrderId,
      page: Page
    ) => Effect.Effect<
      { readonly events: ReadonlyArray<OrderEvent>; readonly total: number },
      OrderNotFound | OrderNotYours
    >
  }
>()("app/orders/ProxyHistory") {
  static readonly layerNoDeps = Layer.effect(
    ProxyHistory,
    Effect.gen(function* () {
      const orders = yield* Orders
      const repo = yield* OrderEventsRepo

      const add = Effect.fnUntraced(function* (event: Omit<Parameters<typeof repo.add>[0], "id">) {
        yield* repo.add({ ...event, id: SecureRandom.uuidV7Unsafe() }, yield* DateTime.now)
      })

      const list = Effect.fn("ProxyHistory.list")(function* (owner: UserId, id: OrderId, page: Page) {
        yield* orders.details(owner, id)
        return { events: yield* repo.list(id, page), total: yield* repo.count(id) }
      })

      return ProxyHistory.of({
        record: (caller, order_id, kind) => add({ ...byCaller(caller), order_id, kind, reason: null }),
        released: (order_id) => add({ ...byService, order_id, kind: "released", reason: null }),
        renewalFailed: (order_id, reason) => add({ ...byService, order_id, kind: "renewal_failed", reason }),
        list
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([OrderEventsRepo.layer, Orders.layer]))
}
