import { Schema, Struct } from "effect"
import { WebhookAttempt } from "./WebhookAttempt.ts"
import { WebhookDelivery } from "./WebhookDelivery.ts"
import { WebhookEvent } from "./WebhookEvent.ts"

/** A delivery as its log tells it, with what it is about. */
export const LoggedDelivery = Schema.Struct({
  ...WebhookDelivery.fields,
  event: Schema.Struct({
    ...Struct.pick(WebhookEvent.fields, ["id", "order_id", "is_test"]),
    status: WebhookEvent.fields.status.annotate({ examples: ["expiring"] }),
    previous_status: WebhookEvent.fields.previous_status.annotate({
      description: "Null on a test",
      examples: ["active"]
    }),
    occurred_at: Schema.DateTimeUtcFromString
  })
})
export type LoggedDelivery = typeof LoggedDelivery.Type

const interrupted = "Interrupted: the service stopped before it knew the outcome; the receiver may have got it"

/** An attempt that a later one followed, or that was the last of all, and has no outcome was lost. */
export const told = (
  delivery: LoggedDelivery,
  attempts: ReadonlyArray<WebhookAttempt>
): ReadonlyArray<WebhookAttempt> =>
  attempts.map((attempt) => {
    const isOver = attempt.attempt < delivery.attempt || delivery.status === "abandoned"
    return isOver && attempt.duration_ms === null ? new WebhookAttempt({ ...attempt, error: interrupted }) : attempt
  })
