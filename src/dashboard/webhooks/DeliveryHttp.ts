import { Effect, Schema, Struct } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import type { Faults } from "../../pages/Field.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { WebhookDeliveryId } from "../../webhooks/WebhookDelivery.ts"
import { WebhookEndpointId } from "../../webhooks/WebhookEndpoint.ts"
import { WebhookLog } from "../../webhooks/WebhookLog.ts"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { type DeliveryView, deliveryPage } from "./DeliveryPage.ts"
import { messages } from "./EndpointFields.ts"

const Again = Schema.Struct({ nonce: Nonce })

const decodeId = Schema.decodeUnknownEffect(WebhookDeliveryId)

/** The delivery in the path of the request. */
const placeOf = Effect.fnUntraced(function* ({ user }: Visit) {
  return {
    owner: user.id,
    endpoint_id: yield* idInPath("endpoint_id", WebhookEndpointId),
    delivery_id: yield* idInPath("delivery_id", WebhookDeliveryId)
  }
})

/** The page of one delivery. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const idempotency = yield* Idempotency
    const log = yield* WebhookLog
    const pages = yield* Pages
    const webhooks = yield* Webhooks
    const home = yield* pathOf("webhooks")
    const path = `${home}/:endpoint_id/deliveries/:delivery_id` as const

    const show = Effect.fnUntraced(function* (visit: Visit, more: Partial<DeliveryView> = {}) {
      const place = yield* placeOf(visit)
      const delivery = yield* log.find(place)
      const endpoint = yield* webhooks.find(place.owner, place.endpoint_id)
      const notice = visit.query.get("outcome") === "sent" ? text("webhooks.again_sent") : undefined
      return deliveryPage(visit, { endpoint, delivery, nonce: randomUUID(), notice, ...more })
    })

    const again = (visit: Visit, faults: Faults) => show(visit, { faults })

    /** Sends the event again once for each form. */
    const redeliver = Effect.fnUntraced(function* (visit: Visit, { nonce }: typeof Again.Type) {
      const place = yield* placeOf(visit)
      const { delivery_id, endpoint_id, owner } = place
      let next: string = delivery_id
      const { answer } = yield* idempotency.perform(
        { user_id: owner, operation: "redeliver_webhook", key: nonce, body: { endpoint_id, delivery_id } },
        {
          reference: [],
          charge: Effect.map(log.redeliver(place), ({ id }) => void (next = id)),
          // After a crash, the delivery that was asked for stands for its successor.
          finish: () => Effect.succeed(next)
        }
      )
      return redirect(`${home}/${endpoint_id}/deliveries/${yield* Effect.orDie(decodeId(answer))}?outcome=sent`)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add(
      "POST",
      `${path}/redeliver`,
      pages.take({ fields: Again, messages: Struct.pick(messages, ["nonce"]), again, act: redeliver })
    )
  })
)
