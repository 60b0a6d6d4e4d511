import { DateTime, Schema } from "effect"
import { canonicalJson } from "../platform/fields/CanonicalJson.ts"
import type { DueDelivery } from "./DueDelivery.ts"
import { eventType } from "./WebhookEndpoint.ts"
import { WebhookEvent } from "./WebhookEvent.ts"

const version = "2026-04-01"

/** What a receiver is sent (specification section 6.1). */
export const WebhookPayload = Schema.Struct({
  id: Schema.String.annotate({
    description: "Of the event, the same at every attempt and redelivery: deduplicate by it. Opaque",
    examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"]
  }),
  type: Schema.Literal(eventType),
  version: Schema.Literal(version).annotate({ description: "Of this schema" }),
  occurred_at: Schema.DateTimeUtcFromString.annotate({
    description: "When the status changed. Events can arrive out of order: compare it before acting"
  }),
  data: Schema.Struct({
    user_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c13"] }),
    order_id: Schema.String.annotate({
      description: "Of the proxy; that of a test belongs to no order",
      examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c14"]
    }),
    change_source: Schema.String.annotate({
      description: "For information only; do not refuse values that you do not know",
      examples: ["status_changed"]
    }),
    proxy: Schema.Struct({
      host: Schema.String.annotate({ examples: ["proxy.example.com"] }),
      port: Schema.Int.annotate({ examples: [20000] }),
      protocol: WebhookEvent.fields.protocol,
      status: Schema.String.annotate({ description: "That of `GET /orders/{order_id}`", examples: ["active"] }),
      previous_status: Schema.NullOr(Schema.String).annotate({
        description: "Null only on a test",
        examples: ["pending"]
      }),
      expires_at: Schema.NullOr(Schema.DateTimeUtcFromString)
    })
  }),
  meta: Schema.Struct({
    delivery_id: Schema.String.annotate({
      description: "The same at every attempt of a delivery",
      examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"]
    }),
    attempt: Schema.Int.annotate({ description: "Counted from 1", examples: [1] }),
    is_test: Schema.Boolean
  })
}).annotate({ identifier: "WebhookPayload" })

/** What one attempt sends: compact, with sorted keys. */
export const bodyOf = ({ attempt, event, id }: Pick<DueDelivery, "id" | "attempt" | "event">): string => {
  const payload: typeof WebhookPayload.Encoded = {
    id: event.id,
    type: eventType,
    version,
    occurred_at: DateTime.formatIso(event.occurred_at),
    data: {
      user_id: event.user_id,
      order_id: event.order_id,
      change_source: event.change_source,
      proxy: {
        host: event.host,
        port: event.port,
        protocol: event.protocol,
        status: event.status,
        previous_status: event.previous_status,
        expires_at: event.expires_at === null ? null : DateTime.formatIso(event.expires_at)
      }
    },
    meta: { delivery_id: id, attempt, is_test: event.is_test }
  }
  return canonicalJson(payload)
}
