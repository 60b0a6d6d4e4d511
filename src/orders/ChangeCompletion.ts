import { Effect, Exit, Fiber, FiberSet, Option } from "effect"
import { RequestStillRunning } from "../idempotency/IdempotencyErrors.ts"
import type { ProviderProxy } from "../provider/ProxyProvider.ts"
import { ChangeUnsettled } from "./ExtensionErrors.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { managed } from "./ManagedProxy.ts"
import { snapshot } from "./MobileSnapshot.ts"
import { isMobileRotating, type Order } from "./Order.ts"
import { ProviderSaidNo } from "./OrderErrors.ts"
import { OrdersRepo } from "./OrdersRepo.ts"
import type { ProxyChange, ProxyChangeId } from "./ProxyChange.ts"
import { ProxyChanges } from "./ProxyChanges.ts"
import { TrafficUsage } from "./TrafficUsage.ts"

/** How long a request waits for its change; what is not settled then is settled in the background. */
const patience = "10 seconds"

/** Waits for a change that is paid for, and answers its proxy. */
export const make = Effect.gen(function* () {
  const changes = yield* ProxyChanges
  const live = yield* LiveProxies
  const orders = yield* OrdersRepo
  const traffic = yield* TrafficUsage
  const background = yield* FiberSet.make()

  const render = Effect.fnUntraced(function* (change: ProxyChange, settled: ProviderProxy | undefined) {
    const order = yield* Effect.flatMap(orders.find(change.order_id), Effect.fromOption)
    const proxy = settled ?? (yield* Effect.orElseSucceed(live.read(order), () => undefined))
    const previous = change.kind === "traffic" ? null : change.previous_expires_at
    if (isMobileRotating(order) && change.kind !== "traffic") return snapshot(order, proxy, previous)
    return managed(order, proxy?.used_gb ?? (yield* traffic.usedInCycle(order)), previous)
  }, Effect.orDie)

  return Effect.fnUntraced(function* (id: ProxyChangeId, order: Order, hasKey: boolean) {
    let isWaitedFor = true
    const work = changes.settle({ id, order_id: order.id }, () => isWaitedFor)
    const fiber = yield* FiberSet.run(background, Effect.interruptible(work))
    // A client that leaves or a service that stops ends the waiting; what was paid for is settled all the same.
    const exit = yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.join(fiber), patience)))
    isWaitedFor = false
    const change = yield* Effect.orDie(Effect.flatMap(changes.find(id), Effect.fromOption))
    if (change.status === "pending")
      return yield* hasKey ? new RequestStillRunning({ details: {} }) : new ChangeUnsettled()
    if (change.status === "refused") {
      const error = Option.getOrUndefined(Exit.findErrorOption(exit))
      return yield* error?._tag === "ProviderDown" ? error : new ProviderSaidNo({ details: {} })
    }
    const settled = Exit.isSuccess(exit) ? Option.getOrUndefined(Option.flatten(exit.value)) : undefined
    return yield* render(change, settled)
  })
})
