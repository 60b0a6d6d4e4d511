import { Context, DateTime, Effect, Fiber, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { UserId } from "../accounts/User.ts"
import { Atomically } from "../platform/Atomically.ts"
import { type AttemptResult, WebhookAttempt } from "./WebhookAttempt.ts"
import { WebhookDelivery, type WebhookDeliveryId } from "./WebhookDelivery.ts"
import type { WebhookEndpointId } from "./WebhookEndpoint.ts"
import { WebhookEndpointsRepo } from "./WebhookEndpointsRepo.ts"
import type { WebhookNotFound } from "./WebhookErrors.ts"
import { WebhookEvent } from "./WebhookEvent.ts"
import { WebhookLogRepo } from "./WebhookLogRepo.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** How a test went; `delivered` is a 2xx answer. */
interface Tested extends AttemptResult {
  readonly delivery_id: WebhookDeliveryId
  readonly delivered: boolean
}

/** A change of a proxy that does not exist (specification sections 4.10 and 6.1). */
const madeUp = (user_id: UserId, now: DateTime.Utc) =>
  Effect.orDie(
    WebhookEvent.insert.makeEffect({
      user_id,
      order_id: SecureRandom.uuidV7Unsafe(),
      is_test: true,
      change_source: "test",
      host: "proxy.example.com",
      port: 8080,
      protocol: "HTTP",
      status: "active",
      previous_status: null,
      expires_at: DateTime.add(now, { days: 30 }),
      occurred_at: now
    })
  )

/** Tries an endpoint out, whether it is enabled or not: one attempt, at once. */
export class WebhookTests extends Context.Service<
  WebhookTests,
  {
    readonly send: (owner: UserId, id: WebhookEndpointId) => Effect.Effect<Tested, WebhookNotFound>
  }
>()("app/webhooks/WebhookTests") {
  static readonly layerNoDeps = Layer.effect(
    WebhookTests,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const endpoints = yield* WebhookEndpointsRepo
      const log = yield* WebhookLogRepo
      const sender = yield* WebhookSender
      const scope = yield* Effect.scope

      const begin = Effect.fnUntraced(function* (owner: UserId, id: WebhookEndpointId) {
        const endpoint = yield* endpoints.find(owner, id)
        const now = yield* DateTime.now
        const event = yield* madeUp(owner, now)
        const delivery = yield* Effect.orDie(
          WebhookDelivery.insert.makeEffect({
            endpoint_id: id,
            event_id: event.id,
            status: "pending",
            attempt: 1,
            next_attempt_at: now,
            finished_at: null
          })
        )
        return { endpoint, event, delivery }
      })

      const record = Effect.fnUntraced(function* (
        { delivery, endpoint, event }: Effect.Success<ReturnType<typeof begin>>,
        result: AttemptResult
      ) {
        const { id, user_id } = endpoint
        const started_at = delivery.created_at
        yield* endpoints.lock(user_id, id)
        const delivered = result.error === null
        yield* log.insertEvent(event)
        yield* log.insert({
          ...delivery,
          status: delivered ? "delivered" : "failed",
          next_attempt_at: null,
          finished_at: yield* DateTime.now
        })
        yield* log.insertAttempt(
          WebhookAttempt.insert.make({ delivery_id: delivery.id, attempt: 1, started_at, ...result })
        )
        yield* endpoints.tested(id, started_at, delivered)
        return { delivery_id: delivery.id, delivered, ...result }
      }, atomically)

      const attempt = Effect.fnUntraced(function* (test: Effect.Success<ReturnType<typeof begin>>) {
        const { id, signing_secret, url } = test.endpoint
        const result = yield* sender.attempt({
          id: test.delivery.id,
          endpoint_id: id,
          attempt: 1,
          url,
          signing_secret,
          is_failing: false,
          event: new WebhookEvent(test.event)
        })
        return yield* record(test, result)
      })

      /** Goes on when nobody waits for it any more: the receiver may have got it, so the log tells of it. */
      const send = Effect.fn("WebhookTests.send")(function* (owner: UserId, id: WebhookEndpointId) {
        const test = yield* begin(owner, id)
        return yield* Fiber.join(yield* Effect.forkIn(attempt(test), scope))
      })

      return WebhookTests.of({ send })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([WebhookEndpointsRepo.layer, WebhookLogRepo.layer, WebhookSender.layer])
  )
}
