import { Effect, Fiber, FiberSet, Option } from "effect"
import { RequestStillRunning } from "../../idempotency/IdempotencyErrors.ts"
import type { ProviderProxy } from "../../provider/ProxyProvider.ts"
import { isMobileRotating, type Order } from "../Order.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import { managedProxyView } from "../proxies/ManagedProxyView.ts"
import { mobileSnapshotView } from "../proxies/MobileSnapshotView.ts"
import * as MakeProxyChange from "./MakeProxyChange.ts"
import { type ProxyChange, type ProxyChangeId, refusalError } from "./ProxyChange.ts"
import { ChangeUnsettled } from "./ProxyChangeErrors.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

/** Time that a request waits for its change. After that, the change continues in the background. */
const patience = "10 seconds"
/**
 * Additional time that a request waits when its change is being refused, because only the request reports that refusal.
 */
const refusalPatience = "5 seconds"

/** Reads the proxy after a change that was made. */
const makeRender = Effect.gen(function* () {
  const live = yield* LiveProxies
  const orders = yield* OrdersRepo

  return Effect.fnUntraced(function* (change: ProxyChange, made: ProviderProxy | undefined) {
    const order = yield* Effect.flatMap(orders.find(change.order_id), Effect.fromOption)
    const proxy = made ?? (yield* Effect.orElseSucceed(live.read(order), () => undefined))
    const isExtension = change.kind === "append" || change.kind === "restart"
    const previous = isExtension ? change.previous_expires_at : null
    if (isMobileRotating(order) && change.kind !== "traffic") return yield* mobileSnapshotView(order, proxy, previous)
    return managedProxyView(order, proxy?.used_gb ?? null, previous)
  }, Effect.orDie)
})

/** Makes a change that is on record, waits for it and returns its proxy. */
export const make = Effect.gen(function* () {
  const makeChange = yield* MakeProxyChange.make
  const render = yield* makeRender
  const repo = yield* ProxyChangesRepo
  const background = yield* FiberSet.make()

  return Effect.fnUntraced(function* (id: ProxyChangeId, order_id: Order["id"], hasKey: boolean) {
    let isWaiting = true
    let isPromised = false
    const waiter = { isWaiting: () => isWaiting, promiseRefusal: () => (isPromised ||= isWaiting) }
    const work = makeChange({ id, order_id }, waiter)
    const fiber = yield* FiberSet.run(background, Effect.interruptible(work))
    // A client that leaves, or a service that stops, ends only the wait: the change is settled later.
    yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience)))
    isWaiting = false
    if (isPromised) yield* Effect.timeoutOption(Fiber.await(fiber), refusalPatience)
    const change = yield* Effect.orDie(Effect.flatMap(repo.find(id), Effect.fromOption))
    if (change.refusal !== null) return yield* refusalError(change.refusal)
    if (change.status === "pending")
      return yield* hasKey ? new RequestStillRunning({ details: {} }) : new ChangeUnsettled()
    const exit = fiber.pollUnsafe()
    return yield* render(change, exit?._tag === "Success" ? Option.getOrUndefined(exit.value) : undefined)
  })
})
