import { Effect, Fiber, FiberSet, Semaphore } from "effect"
import { Catalog } from "../../catalog/Catalog.ts"
import { Providers } from "../../provider/Providers.ts"
import type { PlacedOrder } from "../Order.ts"
import { Provisioning } from "../provisioning/Provisioning.ts"
import type { WaitingRequest } from "../provisioning/Delivery.ts"

/** The time that a request waits for its proxies. The background work finishes the remaining orders. */
const patience = "10 seconds"
/** Provider calls of one request at a time. */
const concurrency = 16
/** Calls of one provider at a time in this process, over all requests. */
const callsPerProvider = 64

/**
 * Provisions paid orders, and waits at most 10 seconds. Returns the orders whose proxies are ready by then. The
 * delivery of a single order also stores the answer of the request that waits for it.
 */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const providers = yield* Providers
  const provisioning = yield* Provisioning
  const calls = new Map<string, Semaphore.Semaphore>()
  const background = yield* FiberSet.make()

  /** After the last proxy of an offer, the next request already sees that it is sold out. */
  const showSoldOut = ({ external_id, provider }: PlacedOrder) =>
    (providers.get(provider)?.stock?.known(external_id) ?? Infinity) > 0 ? Effect.void : catalog.refresh

  const provision = (order: PlacedOrder, waiting: WaitingRequest | undefined) => {
    const permits = calls.get(order.provider) ?? Semaphore.makeUnsafe(callsPerProvider)
    calls.set(order.provider, permits)
    return permits.withPermits(1)(Effect.tap(provisioning.provision(order, waiting), () => showSoldOut(order)))
  }

  return Effect.fnUntraced(function* (paid: ReadonlyArray<PlacedOrder>, waiting: WaitingRequest | undefined) {
    // For a single order, `forEach` starts no further fiber.
    const work = Effect.forEach(paid, (order) => provision(order, waiting), {
      concurrency: Math.min(concurrency, paid.length)
    })
    const fiber = yield* FiberSet.run(background, Effect.interruptible(work))
    // A client that disconnects, or a service that stops, ends the wait; the request still stores an answer.
    yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience)))
    const ended = fiber.pollUnsafe()
    return ended?._tag === "Success" ? ended.value.filter((order) => order !== undefined) : []
  })
})
