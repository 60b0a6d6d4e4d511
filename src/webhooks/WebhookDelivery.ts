import { Schema } from "effect"
import { Model } from "effect/schema"
import { WebhookEndpointId } from "./WebhookEndpoint.ts"
import { WebhookEventId } from "./WebhookEvent.ts"

export const WebhookDeliveryId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WebhookDeliveryId"))
export type WebhookDeliveryId = typeof WebhookDeliveryId.Type

/**
 * `failed`: the receiver refused it and it is not tried again, or it is a test that did not arrive. `abandoned`: all five
 * attempts failed. `cancelled`: the endpoint was disabled meanwhile (specification section 6.4).
 */
export const DeliveryStatus = Schema.Literals(["pending", "delivered", "failed", "abandoned", "cancelled"])
export type DeliveryStatus = typeof DeliveryStatus.Type

const OptionalTime = Model.Field({
  select: Schema.NullOr(Schema.DateTimeUtcFromDate),
  insert: Schema.NullOr(Schema.DateTimeUtcFromDate),
  json: Schema.NullOr(Schema.DateTimeUtcFromString)
})

/** An event on its way to one endpoint, through at most five attempts. */
export class WebhookDelivery extends Model.Class<WebhookDelivery>("WebhookDelivery")({
  id: Model.UuidV7Insert(WebhookDeliveryId),
  endpoint_id: WebhookEndpointId,
  event_id: WebhookEventId,
  status: DeliveryStatus,
  /** The number of the last attempt that began; 0 before the first. */
  attempt: Schema.Int,
  /** While pending: when the next attempt may begin; during one, when it is given up as lost. */
  next_attempt_at: OptionalTime,
  created_at: Model.DateTimeInsertFromDate,
  finished_at: OptionalTime
}) {}
