import { DateTime, Schema, Struct } from "effect"
import { lease, WebhookAttempt } from "./WebhookAttempt.ts"
import { WebhookDelivery } from "./WebhookDelivery.ts"
import { WebhookEvent } from "./WebhookEvent.ts"

/** A delivery in the log, with its event. */
export const LoggedDelivery = Schema.Struct({
  ...WebhookDelivery.fields,
  event: Schema.Struct({
    ...Struct.pick(WebhookEvent.fields, ["id", "order_id", "is_test"]),
    status: WebhookEvent.fields.status.annotate({ examples: ["expiring"] }),
    previous_status: WebhookEvent.fields.previous_status.annotate({
      description: "Null in a test",
      examples: ["active"]
    }),
    occurred_at: Schema.DateTimeUtcFromString
  })
})
export type LoggedDelivery = typeof LoggedDelivery.Type

const interrupted = "Interrupted: the service stopped before it knew the outcome. The receiver may have got the event"

/** Adds this error to each attempt that was lost with its process. */
export const withLostAttempts = (
  attempts: ReadonlyArray<WebhookAttempt>,
  now: DateTime.Utc
): ReadonlyArray<WebhookAttempt> =>
  attempts.map((attempt) => {
    const isOver = DateTime.isLessThanOrEqualTo(DateTime.addDuration(attempt.started_at, lease), now)
    return isOver && attempt.duration_ms === null ? new WebhookAttempt({ ...attempt, error: interrupted }) : attempt
  })
