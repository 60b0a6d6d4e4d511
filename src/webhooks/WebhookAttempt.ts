import { Duration, Schema } from "effect"
import { Model } from "effect/schema"
import { WebhookDeliveryId } from "./WebhookDelivery.ts"

/** For an attempt and its settlement, longer than both take while the database answers: one without an outcome was lost when it has passed. */
export const lease = Duration.seconds(30)

/** One request to the receiver. Without an outcome it is under way, or was lost with the process that made it. */
export class WebhookAttempt extends Model.Class<WebhookAttempt>("WebhookAttempt")({
  delivery_id: Model.Sensitive(WebhookDeliveryId),
  attempt: Schema.Int.annotate({ description: "Counted from 1", examples: [1] }),
  started_at: Model.Field({
    select: Schema.DateTimeUtcFromDate,
    insert: Schema.DateTimeUtcFromDate,
    json: Schema.DateTimeUtcFromString
  }),
  duration_ms: Schema.NullOr(Schema.Int).annotate({ description: "Null while there is no outcome", examples: [87] }),
  status_code: Schema.NullOr(Schema.Int).annotate({
    description: "Null: the receiver did not answer",
    examples: [500]
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "What went wrong, in words",
    examples: ["The receiver answered 500 Internal Server Error", "Connection refused"]
  })
}) {}

/** How an attempt went: `error` is null for a 2xx answer only, `status_code` when there was no answer. */
export type AttemptResult = Pick<WebhookAttempt, "duration_ms" | "status_code" | "error"> & {
  readonly duration_ms: number
}
