import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as WebhookRetries from "../../src/webhooks/WebhookRetries.ts"
import { settled } from "../support/Settled.ts"
import * as TestOutbound from "../support/TestOutbound.ts"
import { deliveryOf, layer as domain, newEndpoint, record } from "./DispatchTesting.ts"
import { isGenuine } from "./DueDeliveries.ts"
import * as Receiver from "./Receiver.ts"

layer(domain)("WebhookRetries with a receiver", (it) => {
  it.effect("a receiver that fails twice gets the event in the third attempt, each with its own signature", () =>
    Effect.gen(function* () {
      let requests = 0
      const receiver = yield* Receiver.start((socket) =>
        socket.end(`HTTP/1.1 ${++requests < 3 ? 503 : 204} -\r\nConnection: close\r\n\r\n`)
      )
      const endpoint = yield* newEndpoint({ url: receiver.url })
      yield* Layer.build(WebhookRetries.layer.pipe(Layer.provide(TestOutbound.layer)))
      const [delivery_id = ""] = yield* record(endpoint)
      // Time passes only between attempts: a slow machine cannot make one time out.
      const second = Effect.gen(function* () {
        yield* settled
        const { attempts } = yield* deliveryOf(delivery_id)
        if (attempts.every(({ duration_ms }: any) => duration_ms !== null)) yield* TestClock.adjust("1 second")
      })
      const passing = yield* Effect.forkChild(Effect.forever(second))
      const received = yield* Effect.replicateEffect(receiver.received, 3)

      const bodies = received.map(({ body }) => JSON.parse(body.toString()))
      const { event_id } = yield* deliveryOf(delivery_id)
      assert.deepStrictEqual(
        bodies.map(({ id, meta }) => [id, meta]),
        [1, 2, 3].map((attempt) => [event_id, { attempt, delivery_id, is_test: false }])
      )
      const timestamps = received.map(({ headers }) => Number(headers["x-service-timestamp"]))
      assert.isAtLeast(timestamps[1]! - timestamps[0]!, 30)
      assert.isAtLeast(timestamps[2]! - timestamps[1]!, 60)
      for (const { body, headers } of received)
        assert.isTrue(
          isGenuine({
            secret: endpoint.signing_secret,
            timestamp: headers["x-service-timestamp"] ?? "",
            delivery_id: headers["x-service-delivery-id"] ?? "",
            signature: headers["x-service-signature"] ?? "",
            body
          })
        )
      const delivery = yield* Effect.repeat(Effect.andThen(settled, deliveryOf(delivery_id)), {
        until: ({ status }) => status !== "pending"
      })
      yield* Fiber.interrupt(passing)
      assert.strictEqual(delivery.status, "delivered")
      assert.deepStrictEqual(
        delivery.attempts.map(({ status_code }: any) => status_code),
        [503, 503, 204]
      )
    })
  )
})
