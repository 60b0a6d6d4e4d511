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
    "`pending`: an attempt is due or under way. `delivered`: the receiver answered 2xx. `failed`: the receiver refused " +
    "it for good, or it is a test that did not arrive. `abandoned`: all five attempts failed. `cancelled`: the endpoint " +
    "was disabled meanwhile",

  examples: ["delivered"]
})

const fields = {
  ...Struct.omit(WebhookDelivery.json.fields, ["event_id"]),
  status,
  attempt: Schema.Int.annotate({ description: "Number of attempts begun, at most five", examples: [1] }),
  next_attempt_at: WebhookDelivery.json.fields.next_attempt_at.annotate({
    description:
      "Time of the next attempt, or when the attempt under way counts as lost. Null after the delivery has ended"
  }),
  event: LoggedDelivery.fields.event.annotate({
    identifier: "WebhookDeliveryEvent",
    description: "The event: the proxy's order, and its status after and before the change"
  })
}

export const Delivery = Schema.Struct(fields).annotate({ identifier: "WebhookDelivery" })

export const DeliveryWithAttempts = Schema.Struct({
  ...fields,
  attempts: Schema.Array(
    WebhookAttempt.json.annotate({
      identifier: "WebhookAttempt",
      description:
        "One request. Without `duration_ms` the attempt is under way, or the service stopped during it. Half a minute " +
        "after the start `error` then says so, and the receiver may have got the event"
    })
  )
}).annotate({ identifier: "WebhookDeliveryWithAttempts" })

export const DeliveryList = Schema.Struct({
  deliveries: Schema.Array(Delivery),
  total: Schema.Int.annotate({ description: "Number of all matching deliveries", examples: [1] }),
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
    "The deliveries to an endpoint, including tests, newest first. Filter by `status`. The log keeps them for 30 days after the event."
  )
)

const find = HttpApiEndpoint.get("find", "/:delivery_id", {
  params: place,
  success: DeliveryWithAttempts,
  error: [WebhookNotFound, WebhookDeliveryNotFound]
}).annotateMerge(
  described("Get a delivery", "The delivery with its attempts: status of the answer, duration, and the error.")
)

const redeliver = HttpApiEndpoint.post("redeliver", "/:delivery_id/redeliver", {
  params: place,
  success: Delivery.pipe(HttpApiSchema.status(202)),
  error: [WebhookNotFound, WebhookDeliveryNotFound, DeliveryIsTest, WebhookDisabled, DeliveryUnderWay]
}).annotateMerge(
  described(
    "Send an event again",
    "Creates a new delivery of the same event, with the same `id` and `occurred_at`. The service sends it immediately and " +
      "retries it like any other. `409` means: the endpoint is disabled (`endpoint_disabled`), a delivery of the event " +
      "is still pending (`delivery_pending`), or the event is a test (`delivery_is_test`)."
  )
)

/** The deliveries of an endpoint. */
export class WebhookLogApi extends HttpApiGroup.make("webhook-log")
  .add(list, find, redeliver)
  .prefix("/webhooks/:endpoint_id/deliveries")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhook deliveries",
      description: "The log of deliveries to your endpoints. It needs the same access as the endpoints."
    })
  ) {}
