import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import type { Order, OrderId } from "../Order.ts"
import { ProxyBusy } from "./ProxyErrors.ts"
import { ProxyHoldRepo } from "./ProxyHoldRepo.ts"

/** Longer than any operation. The hold of a dead process ends after this. */
const lease = { minutes: 1 }
/** The longest time of one operation. */
const operationTimeout = Duration.seconds(45)
/** The time that a second operation waits for the first. */
const patience = Duration.seconds(10)
const pause = Duration.millis(50)

/** Allows one operation at a time on a proxy, over all instances: the stored state is the last one of the provider. */
export class ProxyHold extends Context.Service<
  ProxyHold,
  {
    /**
     * Runs the operation with the present order. Interrupts it after 45 seconds. `isStopped` is true while a restriction stops
     * the service of the account.
     */
    readonly during: <A, E, R>(
      id: OrderId,
      operation: (order: Order, isStopped: boolean) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | ProxyBusy, R>
  }
>()("app/orders/ProxyHold") {
  static readonly layerNoDeps = Layer.effect(
    ProxyHold,
    Effect.gen(function* () {
      const repo = yield* ProxyHoldRepo

      const take = Effect.fnUntraced(function* (id: OrderId) {
        const now = yield* DateTime.now
        const until = DateTime.add(now, lease)
        return Option.map(yield* repo.take(id, now, until), ({ is_stopped, ...order }) => ({
          order,
          is_stopped,
          until
        }))
      })

      const wait = Effect.fnUntraced(function* (id: OrderId) {
        for (let waited = Duration.zero; Duration.isLessThan(waited, patience); waited = Duration.sum(waited, pause)) {
          const taken = yield* take(id)
          if (Option.isSome(taken)) return taken.value
          yield* Effect.interruptible(Effect.sleep(pause))
        }
        return yield* new ProxyBusy({ details: {} })
      })

      const during = Effect.fn("ProxyHold.during")(
        <A, E, R>(id: OrderId, operation: (order: Order, isStopped: boolean) => Effect.Effect<A, E, R>) =>
          Effect.acquireUseRelease(
            wait(id),
            ({ is_stopped, order }) =>
              Effect.timeoutOrElse(operation(order, is_stopped), {
                duration: operationTimeout,
                orElse: () => Effect.fail(new ProxyBusy({ details: {} }))
              }),
            ({ until }) => repo.leave(id, until)
          )
      )

      return ProxyHold.of({ during })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ProxyHoldRepo.layer))
}
