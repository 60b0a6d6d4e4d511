import { Context, DateTime, Effect, Layer } from "effect"
import type { UserId } from "../accounts/User.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import type { Page } from "../platform/fields/Page.ts"
import { type LoggedDelivery, withLostAttempts } from "./LoggedDelivery.ts"
import type { WebhookAttempt } from "./WebhookAttempt.ts"
import { type DeliveryStatus, WebhookDelivery, type WebhookDeliveryId } from "./WebhookDelivery.ts"
import type { WebhookEndpointId } from "./WebhookEndpoint.ts"
import { WebhookEndpointsRepo } from "./WebhookEndpointsRepo.ts"
import {
  DeliveryIsTest,
  DeliveryUnderWay,
  type WebhookDeliveryNotFound,
  WebhookDisabled,
  type WebhookNotFound
} from "./WebhookErrors.ts"
import { WebhookLogRepo } from "./WebhookLogRepo.ts"

/** Names a delivery of one of the owner's endpoints. */
interface Place {
  readonly owner: UserId
  readonly endpoint_id: WebhookEndpointId
  readonly delivery_id: WebhookDeliveryId
}

interface Listed {
  readonly deliveries: ReadonlyArray<LoggedDelivery>
  readonly total: number
}

type NotFound = WebhookNotFound | WebhookDeliveryNotFound

/** The deliveries to the endpoints of an account, kept for 30 days. */
export class WebhookLog extends Context.Service<
  WebhookLog,
  {
    /** Newest first. Without `status`, deliveries of every status. */
    readonly list: (
      owner: UserId,
      endpoint_id: WebhookEndpointId,
      status: DeliveryStatus | undefined,
      page: Page
    ) => Effect.Effect<Listed, WebhookNotFound>
    readonly find: (
      place: Place
    ) => Effect.Effect<LoggedDelivery & { readonly attempts: ReadonlyArray<WebhookAttempt> }, NotFound>
    /** Sends the event again, as a new delivery. */
    readonly redeliver: (
      place: Place
    ) => Effect.Effect<LoggedDelivery, NotFound | DeliveryIsTest | WebhookDisabled | DeliveryUnderWay>
  }
>()("app/webhooks/WebhookLog") {
  static readonly layerNoDeps = Layer.effect(
    WebhookLog,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const endpoints = yield* WebhookEndpointsRepo
      const repo = yield* WebhookLogRepo

      const list = Effect.fn("WebhookLog.list")(function* (
        owner: UserId,
        endpoint_id: WebhookEndpointId,
        status: DeliveryStatus | undefined,
        page: Page
      ) {
        yield* endpoints.find(owner, endpoint_id)
        return {
          deliveries: yield* repo.list(endpoint_id, status, page),
          total: yield* repo.count(endpoint_id, status)
        }
      })

      const find = Effect.fn("WebhookLog.find")(function* (place: Place) {
        yield* endpoints.find(place.owner, place.endpoint_id)
        const found = yield* repo.find(place.endpoint_id, place.delivery_id)
        return { ...found, attempts: withLostAttempts(yield* repo.attempts(found.id), yield* DateTime.now) }
      })

      const redeliver = Effect.fn("WebhookLog.redeliver")(function* (place: Place) {
        const { enabled } = yield* endpoints.lock(place.owner, place.endpoint_id)
        const { endpoint_id, event, event_id } = yield* repo.find(place.endpoint_id, place.delivery_id)
        if (event.is_test) return yield* new DeliveryIsTest({ details: {} })
        if (!enabled) return yield* new WebhookDisabled({ details: {} })
        if (yield* repo.isPending({ endpoint_id, event_id })) return yield* new DeliveryUnderWay({ details: {} })
        // Locks only an ended delivery, because the dispatcher skips a locked one.
        yield* repo.keep(endpoint_id, place.delivery_id)
        const next = yield* Effect.orDie(
          WebhookDelivery.insert.makeEffect({
            endpoint_id,
            event_id,
            status: "pending",
            attempt: 0,
            next_attempt_at: yield* DateTime.now,
            finished_at: null
          })
        )
        yield* repo.insert(next)
        return { ...next, event }
      }, atomically)

      return WebhookLog.of({ list, find, redeliver })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([WebhookEndpointsRepo.layer, WebhookLogRepo.layer]))
}
