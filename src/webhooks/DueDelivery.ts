import { Schema, Struct } from "effect"
import { WebhookDelivery } from "./WebhookDelivery.ts"
import { WebhookEndpoint } from "./WebhookEndpoint.ts"
import { WebhookEvent } from "./WebhookEvent.ts"

/** A delivery that this process has taken up for its `attempt`, with what is needed to send it. */
export const DueDelivery = Schema.Struct({
  ...Struct.pick(WebhookDelivery.fields, ["id", "endpoint_id", "attempt"]),
  ...Struct.pick(WebhookEndpoint.fields, ["url", "signing_secret", "previous_secret"]),
  event: WebhookEvent
})
export type DueDelivery = typeof DueDelivery.Type
