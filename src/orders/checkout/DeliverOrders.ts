import { Effect, Fiber, FiberSet, Semaphore } from "effect"
import type { PlacedOrder } from "../Order.ts"
import { Provisioning } from "../provisioning/Provisioning.ts"
import type { KeepAnswer } from "../provisioning/Delivery.ts"

/** The time that a request waits for its proxies. The background work finishes the remaining orders. */
const patience = "10 seconds"
/** Provider calls of one request at a time. */
const concurrency = 16
/** Calls of one provider at a time in this process, over all requests. */
const callsPerProvider = 64

/**
 * Provisions paid orders, and waits at most 10 seconds. Returns the orders whose proxies are ready by then. `keep` stores
 * the answer of the request together with the delivery of an only order.
 */
export const make = Effect.gen(function* () {
  const provisioning = yield* Provisioning
  const calls = new Map<string, Semaphore.Semaphore>()
  const background = yield* FiberSet.make()

  const provision = (order: PlacedOrder, keep: KeepAnswer | undefined) => {
    const permits = calls.get(order.provider) ?? Semaphore.makeUnsafe(callsPerProvider)
    calls.set(order.provider, permits)
    return permits.withPermits(1)(provisioning.provision(order, keep))
  }

  return Effect.fnUntraced(function* (paid: ReadonlyArray<PlacedOrder>, keep: KeepAnswer | undefined) {
    // For a single order, `forEach` starts no further fiber.
    const work = Effect.forEach(paid, (order) => provision(order, keep), {
      concurrency: Math.min(concurrency, paid.length)
    })
    const fiber = yield* FiberSet.run(background, Effect.interruptible(work))
    // A client that disconnects, or a service that stops, ends the wait; the request still stores an answer.
    yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience)))
    const ended = fiber.pollUnsafe()
    return ended?._tag === "Success" ? ended.value.filter((order) => order !== undefined) : []
  })
})
