import { Effect, Fiber, FiberSet, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../../accounts/Caller.ts"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import { type IdempotencyKeyReused, RequestStillRunning } from "../../idempotency/IdempotencyErrors.ts"
import type { ProviderProxy } from "../../provider/ProxyProvider.ts"
import { ChangeUnsettled } from "./ExtensionErrors.ts"
import type { Wanted } from "./ExtensionTerms.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import { managed } from "../proxies/ManagedProxy.ts"
import { snapshot } from "../proxies/MobileSnapshot.ts"
import { isMobileRotating, type Order } from "../Order.ts"
import type { ProviderDown, ProviderSaidNo } from "../proxies/ProxyErrors.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import { payingKey } from "../../wallet/PayingKey.ts"
import { type ProxyChange, ProxyChangeId, refusalError } from "./ProxyChange.ts"
import type { ChargeError } from "./ProxyChangeCharge.ts"
import { ProxyChanges } from "./ProxyChanges.ts"

export type PurchaseError =
  | ChargeError
  | ProviderSaidNo
  | ProviderDown
  | ChangeUnsettled
  | IdempotencyKeyReused
  | RequestStillRunning

interface Purchase {
  readonly operation: "orders.extend" | "orders.bandwidth"
  readonly wanted: Wanted
  readonly key: string | undefined
}

/** How long a request waits for its change; what is not settled then is settled in the background. */
const patience = "10 seconds"
/** How long it stays for a refusal that is being written down: nobody else is told of that. */
const lastWords = "5 seconds"

const decodeId = Schema.decodeUnknownEffect(ProxyChangeId)

/** The proxy after a change that was made. */
const makeRender = Effect.gen(function* () {
  const live = yield* LiveProxies
  const orders = yield* OrdersRepo

  return Effect.fnUntraced(function* (change: ProxyChange, settled: ProviderProxy | undefined) {
    const order = yield* Effect.flatMap(orders.find(change.order_id), Effect.fromOption)
    const proxy = settled ?? (yield* Effect.orElseSucceed(live.read(order), () => undefined))
    const previous = change.kind === "traffic" ? null : change.previous_expires_at
    if (isMobileRotating(order) && change.kind !== "traffic") return yield* snapshot(order, proxy, previous)
    return managed(order, proxy?.used_gb ?? null, previous)
  }, Effect.orDie)
})

/** Waits for a change that is paid for, and answers its proxy. */
const makeComplete = Effect.gen(function* () {
  const changes = yield* ProxyChanges
  const render = yield* makeRender
  const background = yield* FiberSet.make()

  return Effect.fnUntraced(function* (id: ProxyChangeId, order_id: Order["id"], hasKey: boolean) {
    let isWaiting = true
    let isPromised = false
    const work = changes.settle({ id, order_id }, () => (isPromised ||= isWaiting))
    const fiber = yield* FiberSet.run(background, Effect.interruptible(work))
    // A client that leaves or a service that stops ends the waiting; what was paid for is settled all the same.
    yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience)))
    isWaiting = false
    if (isPromised) yield* Effect.timeoutOption(Fiber.await(fiber), lastWords)
    const change = yield* Effect.orDie(Effect.flatMap(changes.find(id), Effect.fromOption))
    if (change.refusal !== null) return yield* refusalError(change.refusal)
    if (change.status === "pending")
      return yield* hasKey ? new RequestStillRunning({ details: {} }) : new ChangeUnsettled()
    const exit = fiber.pollUnsafe()
    return yield* render(change, exit?._tag === "Success" ? Option.getOrUndefined(exit.value) : undefined)
  })
})

/** Buys time or traffic for a proxy: charged once for a key, and answered with the proxy as it is then. */
export const make = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const changes = yield* ProxyChanges
  const complete = yield* makeComplete

  return Effect.fnUntraced(function* (caller: Caller["Service"], order: Order, { key, operation, wanted }: Purchase) {
    const id = ProxyChangeId.make(SecureRandom.uuidV7Unsafe())
    return yield* idempotency.perform<PurchaseError, never>(
      { user_id: caller.user_id, operation, key, body: { order_id: order.id, ...wanted } },
      {
        reference: id,
        charge: changes.charge({ id, order_id: order.id, wanted, api_key: payingKey(caller) }),
        finish: (reference) =>
          Effect.flatMap(Effect.orDie(decodeId(reference)), (id) => complete(id, order.id, key !== undefined))
      }
    )
  })
})
