import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "../accounts/Authentication.ts"
import * as Page from "../platform/fields/Page.ts"
import { LoggedDelivery } from "./LoggedDelivery.ts"
import { WebhookAttempt } from "./WebhookAttempt.ts"
import { DeliveryStatus, WebhookDelivery, WebhookDeliveryId } from "./WebhookDelivery.ts"
import { WebhookEndpointId } from "./WebhookEndpoint.ts"
import {
  DeliveryIsTest,
  DeliveryUnderWay,
  WebhookDeliveryNotFound,
  WebhookDisabled,
  WebhookNotFound
} from "./WebhookErrors.ts"

export const status = DeliveryStatus.annotate({
  description:
    "`pending`: on its way. `delivered`: answered with a 2xx. `failed`: refused and not tried again, or a test that " +
    "did not arrive. `abandoned`: all five attempts failed. `cancelled`: the endpoint was disabled meanwhile",
  examples: ["delivered"]
})

const fields = {
  ...Struct.omit(WebhookDelivery.json.fields, ["event_id"]),
  status,
  attempt: Schema.Int.annotate({ description: "How many attempts have begun, of five", examples: [1] }),
  next_attempt_at: WebhookDelivery.json.fields.next_attempt_at.annotate({
    description:
      "When the next attempt is due, or when one that is under way is given up as lost; null once it has ended"
  }),
  event: LoggedDelivery.fields.event.annotate({
    identifier: "WebhookDeliveryEvent",
    description: "What is told: the proxy's order, and its status after and before"
  })
}

export const Delivery = Schema.Struct(fields).annotate({ identifier: "WebhookDelivery" })

export const DeliveryWithAttempts = Schema.Struct({
  ...fields,
  attempts: Schema.Array(
    WebhookAttempt.json.annotate({
      identifier: "WebhookAttempt",
      description:
        "One request. Without `duration_ms` it is under way, or was interrupted together with the service: then " +
        "`error` says so half a minute after its start, and the receiver may have got it"
    })
  )
}).annotate({ identifier: "WebhookDeliveryWithAttempts" })

export const DeliveryList = Schema.Struct({
  deliveries: Schema.Array(Delivery),
  total: Schema.Int.annotate({ description: "All that match", examples: [1] }),
  limit: Schema.Int.annotate({ examples: [50] }),
  offset: Schema.Int.annotate({ examples: [0] })
}).annotate({ identifier: "WebhookDeliveryList" })

const place = { endpoint_id: WebhookEndpointId, delivery_id: WebhookDeliveryId }

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const list = HttpApiEndpoint.get("list", "/", {
  params: { endpoint_id: WebhookEndpointId },
  query: { ...Page.query(100, 50), status: Schema.optionalKey(status) },
  success: DeliveryList,
  error: WebhookNotFound
}).annotateMerge(
  described(
    "List deliveries",
    "What an endpoint was sent, tests included, newest first; of one status, or all. Kept for 30 days after the event."
  )
)

const find = HttpApiEndpoint.get("find", "/:delivery_id", {
  params: place,
  success: DeliveryWithAttempts,
  error: [WebhookNotFound, WebhookDeliveryNotFound]
}).annotateMerge(
  described("Get a delivery", "With each of its attempts: the answer's status, how long it took, what went wrong.")
)

const redeliver = HttpApiEndpoint.post("redeliver", "/:delivery_id/redeliver", {
  params: place,
  success: Delivery.pipe(HttpApiSchema.status(202)),
  error: [WebhookNotFound, WebhookDeliveryNotFound, DeliveryIsTest, WebhookDisabled, DeliveryUnderWay]
}).annotateMerge(
  described(
    "Send an event again",
    "Begins a delivery of its own with the same event, `id` and `occurred_at` included, and answers it; it leaves at " +
      "once and is tried as any other. `409` means that the endpoint is disabled (`endpoint_disabled`), that the " +
      "event is still on its way to it (`delivery_pending`), or that it is a test (`delivery_is_test`)."
  )
)

/** What an endpoint was sent. */
export class WebhookLogApi extends HttpApiGroup.make("webhook-log")
  .add(list, find, redeliver)
  .prefix("/webhooks/:endpoint_id/deliveries")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhook deliveries",
      description: "What your endpoints were sent, and how that went. Needs the same access as the endpoints."
    })
  ) {}
