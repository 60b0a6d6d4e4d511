import { Rpc, RpcGroup } from "effect/rpc"
import { optional } from "../platform/fields/Optional.ts"
import { WebhookDeliveryId } from "../webhooks/WebhookDelivery.ts"
import { Delivery, DeliveryList, DeliveryWithAttempts, status } from "../webhooks/WebhookLogApi.ts"
import { adds, reads, tool } from "./ToolAnnotations.ts"
import { page } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"
import { endpoint_id } from "./WebhookTools.ts"

const place = {
  endpoint_id,
  delivery_id: WebhookDeliveryId.annotate({ description: "The `id` of a delivery, from list_webhook_deliveries" })
}

const unknown =
  "404: the account has no such endpoint, or the endpoint has no such delivery. Deliveries are kept for 30 days."

const listWebhookDeliveries = Rpc.make("list_webhook_deliveries", {
  payload: { endpoint_id, status: optional(status), ...page(100, 50) },
  success: DeliveryList,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List webhook deliveries",
    description: `Lists the deliveries to an endpoint, newest first. Filter by status. Free. ${unknown}`,
    hints: reads,
    scope: "full-access"
  })
)

const getWebhookDelivery = Rpc.make("get_webhook_delivery", {
  payload: place,
  success: DeliveryWithAttempts,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get a webhook delivery",
    description: `Returns a delivery with its attempts: the receiver's status code, the duration and the error. Free. ${unknown}`,
    hints: reads,
    scope: "full-access"
  })
)

const redeliverWebhook = Rpc.make("redeliver_webhook", {
  payload: place,
  success: Delivery,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Send an event again",
    description: `Sends the event of a delivery again, immediately, as a new delivery: look at it with get_webhook_delivery. Free. 409: the endpoint is disabled (endpoint_disabled), a delivery of the event is still pending (delivery_pending), or the event is a test (delivery_is_test). ${unknown}`,
    hints: { ...adds, isOpenWorld: true },
    scope: "full-access"
  })
)

/** Tools for the log of an endpoint. */
export const WebhookDeliveryTools = RpcGroup.make(
  listWebhookDeliveries,
  getWebhookDelivery,
  redeliverWebhook
).middleware(ToolCaller)
