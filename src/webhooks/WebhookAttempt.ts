import { Duration, Schema } from "effect"
import { Model } from "effect/schema"
import { WebhookDeliveryId } from "./WebhookDelivery.ts"

/** Longer than an attempt and its settlement. An attempt without an outcome after this time was lost with its process. */
export const lease = Duration.seconds(30)

/** One request to the receiver. An attempt without an outcome is under way, or was lost with its process. */
export class WebhookAttempt extends Model.Class<WebhookAttempt>("WebhookAttempt")({
  delivery_id: Model.Sensitive(WebhookDeliveryId),
  attempt: Schema.Int.annotate({ description: "Counted from 1", examples: [1] }),
  started_at: Model.Field({
    select: Schema.DateTimeUtcFromDate,
    insert: Schema.DateTimeUtcFromDate,
    json: Schema.DateTimeUtcFromString
  }),
  duration_ms: Schema.NullOr(Schema.Int).annotate({
    description: "Null while the attempt has no outcome",
    examples: [87]
  }),
  status_code: Schema.NullOr(Schema.Int).annotate({
    description: "Null when the receiver did not answer",
    examples: [500]
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "The reason of the failure, in words",
    examples: ["The receiver answered 500 Internal Server Error", "Connection refused"]
  })
}) {}

/** The result of an attempt: `error` is null only for a 2xx answer, `status_code` is null without an answer. */
export type AttemptResult = Pick<WebhookAttempt, "duration_ms" | "status_code" | "error"> & {
  readonly duration_ms: number
}
