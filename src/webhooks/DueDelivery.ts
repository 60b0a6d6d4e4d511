import { Schema, Struct } from "effect"
import { WebhookDelivery } from "./WebhookDelivery.ts"
import { WebhookEndpoint } from "./WebhookEndpoint.ts"
import { WebhookEvent } from "./WebhookEvent.ts"

/** A delivery that this process has claimed for one attempt, with everything that the attempt needs. */
export const DueDelivery = Schema.Struct({
  ...Struct.pick(WebhookDelivery.fields, ["id", "endpoint_id", "attempt"]),
  ...Struct.pick(WebhookEndpoint.fields, ["url", "signing_secret", "previous_secret"]),
  event: WebhookEvent
})
export type DueDelivery = typeof DueDelivery.Type
