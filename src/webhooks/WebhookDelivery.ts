import { Schema } from "effect"
import { Model } from "effect/schema"
import { WebhookEndpointId } from "./WebhookEndpoint.ts"
import { WebhookEventId } from "./WebhookEvent.ts"

export const WebhookDeliveryId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WebhookDeliveryId"))
export type WebhookDeliveryId = typeof WebhookDeliveryId.Type

/**
 * `failed`: the receiver refused it for good, or it is a test that did not arrive. `abandoned`: all five attempts failed.
 * `cancelled`: the endpoint was disabled meanwhile (docs/contract.md, "Webhooks").
 */
export const DeliveryStatus = Schema.Literals(["pending", "delivered", "failed", "abandoned", "cancelled"])
export type DeliveryStatus = typeof DeliveryStatus.Type

const OptionalTime = Model.Field({
  select: Schema.NullOr(Schema.DateTimeUtcFromDate),
  insert: Schema.NullOr(Schema.DateTimeUtcFromDate),
  json: Schema.NullOr(Schema.DateTimeUtcFromString)
})

/** The delivery of an event to one endpoint, in at most five attempts. */
export class WebhookDelivery extends Model.Class<WebhookDelivery>("WebhookDelivery")({
  id: Model.UuidV7Insert(WebhookDeliveryId),
  endpoint_id: WebhookEndpointId,
  event_id: WebhookEventId,
  status: DeliveryStatus,
  /** Number of the last attempt that began, 0 before the first. */
  attempt: Schema.Int,
  /** While pending: the time of the next attempt. During an attempt: the time when it counts as lost. */
  next_attempt_at: OptionalTime,
  created_at: Model.DateTimeInsertFromDate,
  finished_at: OptionalTime
}) {}
