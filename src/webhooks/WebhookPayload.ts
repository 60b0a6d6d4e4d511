import { DateTime, Schema } from "effect"
import { canonicalJson } from "../platform/fields/CanonicalJson.ts"
import type { DueDelivery } from "./DueDelivery.ts"
import { eventType } from "./WebhookEndpoint.ts"
import { WebhookEvent } from "./WebhookEvent.ts"

const version = "2026-04-01"

/** The body of a webhook request (docs/contract.md, "Webhooks"). */
export const WebhookPayload = Schema.Struct({
  id: Schema.String.annotate({
    description: "Id of the event, the same in every attempt and redelivery. Deduplicate by it. Opaque",
    examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"]
  }),
  type: Schema.Literal(eventType),
  version: Schema.Literal(version).annotate({ description: "Version of this schema" }),
  occurred_at: Schema.DateTimeUtcFromString.annotate({
    description: "Time of the change. Events can arrive out of order: compare it before you act"
  }),
  data: Schema.Struct({
    user_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c13"] }),
    order_id: Schema.String.annotate({
      description: "Order of the proxy. The id in a test belongs to no order",
      examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c14"]
    }),
    change_source: Schema.String.annotate({
      description: "For information only. Accept values that you do not know",
      examples: ["status_changed"]
    }),
    proxy: Schema.Struct({
      host: Schema.String.annotate({ examples: ["proxy.example.com"] }),
      port: Schema.Int.annotate({ examples: [20000] }),
      protocol: WebhookEvent.fields.protocol,
      status: Schema.String.annotate({ description: "The same as in `GET /orders/{order_id}`", examples: ["active"] }),
      previous_status: Schema.NullOr(Schema.String).annotate({
        description: "Null only in a test",
        examples: ["pending"]
      }),
      expires_at: Schema.NullOr(Schema.DateTimeUtcFromString)
    })
  }),
  meta: Schema.Struct({
    delivery_id: Schema.String.annotate({
      description: "The same in every attempt of a delivery",
      examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"]
    }),
    attempt: Schema.Int.annotate({ description: "Counted from 1", examples: [1] }),
    is_test: Schema.Boolean
  })
}).annotate({ identifier: "WebhookPayload" })

/** The body of one attempt: compact JSON with sorted keys. */
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
