import { Effect, Fiber, FiberSet, Semaphore } from "effect"
import type { PlacedOrder } from "../Order.ts"
import type { OrderViewRow } from "../OrderView.ts"
import { Provisioning } from "../provisioning/Provisioning.ts"

/** The time that a request waits for its proxies. The background work finishes the remaining orders. */
const patience = "10 seconds"
/** Provider calls of one request at a time. */
const concurrency = 16
/** Calls of one provider at a time in this process, over all requests. */
const callsPerProvider = 64

/** Provisions paid orders, and waits at most 10 seconds. Returns the orders whose proxies are ready by then. */
export const make = Effect.gen(function* () {
  const provisioning = yield* Provisioning
  const calls = new Map<string, Semaphore.Semaphore>()
  const background = yield* FiberSet.make()

  const provision = (order: PlacedOrder) => {
    const permits = calls.get(order.provider) ?? Semaphore.makeUnsafe(callsPerProvider)
    calls.set(order.provider, permits)
    return permits.withPermits(1)(provisioning.provision(order))
  }

  return Effect.fnUntraced(function* (paid: ReadonlyArray<PlacedOrder>) {
    let delivered: ReadonlyArray<OrderViewRow | void> = []
    const work = Effect.map(Effect.forEach(paid, provision, { concurrency }), (orders) => {
      delivered = orders
    })
    const fiber = yield* FiberSet.run(background, Effect.interruptible(work))
    // A client that disconnects, or a service that stops, ends the wait; the request still stores an answer.
    yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience)))
    return delivered.filter((order) => order !== undefined)
  })
})
