import { Context, DateTime, Duration, Effect, Fiber, Layer, Option, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { Model } from "effect/schema"
import type { UserId } from "../accounts/User.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { RateLimit, type RateLimited, refuse } from "../platform/requests/RateLimit.ts"
import { type AttemptResult, WebhookAttempt } from "./WebhookAttempt.ts"
import { WebhookDelivery, WebhookDeliveryId } from "./WebhookDelivery.ts"
import type { WebhookEndpoint, WebhookEndpointId } from "./WebhookEndpoint.ts"
import { WebhookEndpointsRepo } from "./WebhookEndpointsRepo.ts"
import type { WebhookNotFound } from "./WebhookErrors.ts"
import { WebhookEvent } from "./WebhookEvent.ts"
import { WebhookLogRepo } from "./WebhookLogRepo.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** The result of a test. `delivered` means a 2xx answer. */
interface Tested extends AttemptResult {
  readonly delivery_id: WebhookDeliveryId
  readonly delivered: boolean
}

/** A made-up event about a proxy that does not exist (docs/contract.md, "Webhooks"). */
const madeUpEvent = (user_id: UserId, now: DateTime.Utc) =>
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

interface BegunTest {
  readonly delivery_id: WebhookDeliveryId
  readonly endpoint: WebhookEndpoint
  readonly event: typeof WebhookEvent.insert.Type
  readonly started_at: DateTime.Utc
}

/** The limit of one account. */
const rule = { name: "webhook-tests", limit: 10, window: Duration.minutes(1) } as const

/** Limits of all accounts together: many slow tests use neither all sockets nor all connections of the database. */
const sentAtOnce = 256
const recordedAtOnce = 4

/** Every test under way ends within this time. */
const secondsUntilNext = 10

/** Sends one test to an endpoint immediately. The endpoint may be disabled. */
export class WebhookTests extends Context.Service<
  WebhookTests,
  {
    readonly send: (owner: UserId, id: WebhookEndpointId) => Effect.Effect<Tested, WebhookNotFound | RateLimited>
  }
>()("app/webhooks/WebhookTests") {
  static readonly layerNoDeps = Layer.effect(
    WebhookTests,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const endpoints = yield* WebhookEndpointsRepo
      const log = yield* WebhookLogRepo
      const rateLimit = yield* RateLimit
      const sender = yield* WebhookSender
      const scope = yield* Effect.scope
      const sending = yield* Semaphore.make(sentAtOnce)
      const recording = yield* Semaphore.make(recordedAtOnce)

      const begin = Effect.fnUntraced(function* (
        owner: UserId,
        id: WebhookEndpointId
      ): Effect.fn.Return<BegunTest, WebhookNotFound> {
        const endpoint = yield* endpoints.find(owner, id)
        const started_at = yield* DateTime.now
        const event = yield* madeUpEvent(owner, started_at)
        return { delivery_id: WebhookDeliveryId.make(SecureRandom.uuidV7Unsafe()), endpoint, event, started_at }
      })

      const record = Effect.fnUntraced(function* (
        { delivery_id, endpoint, event, started_at }: BegunTest,
        result: AttemptResult
      ) {
        const delivered = result.error === null
        yield* endpoints.lock(endpoint.user_id, endpoint.id)
        yield* log.insertEvent(event)
        yield* log.insert(
          WebhookDelivery.insert.make({
            id: delivery_id,
            endpoint_id: endpoint.id,
            event_id: event.id,
            status: delivered ? "delivered" : "failed",
            attempt: 1,
            next_attempt_at: null,
            created_at: Model.Override(started_at),
            finished_at: yield* DateTime.now
          })
        )
        yield* log.insertAttempt(WebhookAttempt.insert.make({ delivery_id, attempt: 1, started_at, ...result }))
        yield* endpoints.tested(endpoint.id, started_at, delivered)
        return { delivery_id, delivered, ...result }
      }, atomically)

      /** None when too many tests are under way. */
      const attempt = Effect.fnUntraced(function* (test: BegunTest) {
        const { id, previous_secret, previous_secret_ends_at: ends_at, signing_secret, url } = test.endpoint
        const overlaps = ends_at !== null && DateTime.isGreaterThan(ends_at, test.started_at)
        const result = yield* sender.attempt({
          id: test.delivery_id,
          endpoint_id: id,
          attempt: 1,
          url,
          signing_secret,
          previous_secret: overlaps ? previous_secret : null,
          event: new WebhookEvent(test.event)
        })
        return yield* recording.withPermit(record(test, result))
      }, sending.withPermitsIfAvailable(1))

      /** A test continues when its client leaves: the receiver may have got it, so the log must show it. */
      const send = Effect.fn("WebhookTests.send")(function* (owner: UserId, id: WebhookEndpointId) {
        yield* rateLimit.enforce(rule, owner)
        const test = yield* begin(owner, id)
        const tested = yield* Fiber.join(yield* Effect.forkIn(attempt(test), scope))
        return Option.isSome(tested) ? tested.value : yield* refuse(secondsUntilNext)
      })

      return WebhookTests.of({ send })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([WebhookEndpointsRepo.layer, WebhookLogRepo.layer, WebhookSender.layer])
  )
}
