import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { held } from "../support/Locks.ts"
import { settled } from "../support/Settled.ts"
import { answer, dispatching, layer as domain, newEndpoint, record, statusesOf } from "./DispatchTesting.ts"
import * as Orders from "./LiveOrders.ts"

/** Lets other fibers run. */
const moment = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 2)))

/** Moves the clock until `holds`. */
const passTimeUntil = (holds: () => boolean) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), moment), { until: holds })

layer(domain)("The dispatcher without a wake-up", (it) => {
  it.effect("a delivery whose wake-up is lost with its process is sent within a second", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      const order = yield* Orders.live(endpoint.user_id)
      const { idle, next, sent } = yield* dispatching(() => answer(204))
      // The dispatcher listens when it has sent this one. Its looks are over when the database is still.
      yield* record(endpoint)
      yield* next
      yield* idle
      yield* settled
      yield* Orders.setStatus(order, "expiring")
      yield* moment
      assert.lengthOf(sent, 1)
      yield* passTimeUntil(() => sent.length === 2)
      assert.strictEqual((yield* next).event.order_id, order)
      yield* idle
      assert.deepStrictEqual(yield* statusesOf(endpoint), { delivered: 2 })
    })
  )

  it.effect("a delivery is found that a long transaction committed after later ones were found", () =>
    Effect.gen(function* () {
      const [slow, quick] = [yield* newEndpoint(), yield* newEndpoint()]
      const [late, early] = [yield* Orders.live(slow.user_id), yield* Orders.live(quick.user_id)]
      const { idle, next, sent } = yield* dispatching(() => answer(204))
      yield* record(quick)
      yield* next
      const holder = yield* held(Orders.setStatus(late, "expiring"))
      yield* Orders.setStatus(early, "expiring")
      yield* passTimeUntil(() => sent.length === 2)
      assert.strictEqual((yield* next).event.order_id, early)
      yield* holder.open
      yield* Fiber.join(holder.running)
      yield* passTimeUntil(() => sent.length === 3)
      assert.strictEqual(sent[2]?.event.order_id, late)
      yield* idle
    })
  )
})
