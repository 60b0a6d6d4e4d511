import { Effect, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../accounts/User.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { DeliveryStatus, WebhookDeliveryId } from "../../webhooks/WebhookDelivery.ts"
import { WebhookEndpointId } from "../../webhooks/WebhookEndpoint.ts"
import { WebhookLog } from "../../webhooks/WebhookLog.ts"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import { idInPath } from "../desk/IdInPath.ts"
import type { Visit } from "../desk/Visit.ts"
import { type EndpointView, endpointPage } from "./EndpointPage.ts"

const onPage = 25

const notices = new Map([
  ["enabled", text("webhooks.enabled_now")],
  ["disabled", text("webhooks.disabled_now")],
  ["saved", text("webhooks.url_saved")]
])

const decodeStatus = Schema.decodeUnknownOption(DeliveryStatus)
const decodeTest = Schema.decodeUnknownOption(WebhookDeliveryId)

/** The endpoint in the path of the request. */
export const endpointId = idInPath("endpoint_id", WebhookEndpointId)

/** Makes the function that shows an endpoint and the part of its log that the query names. */
export const makeShow = Effect.gen(function* () {
  const log = yield* WebhookLog
  const webhooks = yield* Webhooks

  /** The test that the query names; undefined for anything else. */
  const testOf = Effect.fnUntraced(function* (owner: UserId, endpoint_id: WebhookEndpointId, given: string | null) {
    const delivery_id = Option.getOrUndefined(decodeTest(given))
    if (delivery_id === undefined) return undefined
    const found = yield* Effect.option(log.find({ owner, endpoint_id, delivery_id }))
    return Option.getOrUndefined(Option.filter(found, ({ event }) => event.is_test))
  })

  return Effect.fnUntraced(function* (visit: Visit, more: Partial<EndpointView> = {}) {
    const { pathTo, query, user } = visit
    const endpoint_id = yield* endpointId
    const endpoint = yield* webhooks.find(user.id, endpoint_id)
    const status = Option.getOrUndefined(decodeStatus(query.get("status")))
    const part = { limit: onPage, offset: offsetOf(query) }
    const { deliveries, total } = yield* log.list(user.id, endpoint_id, status, part)
    // The last page of the log may be empty after its deliveries were removed.
    if (deliveries.length === 0 && part.offset > 0) return redirect(pathTo(`webhooks/${endpoint_id}`))
    return endpointPage(visit, {
      endpoint,
      log: { deliveries, part: { ...part, total }, status },
      test: yield* testOf(user.id, endpoint_id, query.get("test")),
      nonce: randomUUID(),
      notice: notices.get(query.get("outcome") ?? ""),
      ...more
    })
  })
})
