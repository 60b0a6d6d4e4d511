import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { eventType } from "./WebhookEndpoint.ts"
import { WebhookPayload } from "./WebhookPayload.ts"

const header = (description: string, example: string) => Schema.String.annotate({ description, examples: [example] })

/** Specification sections 6.2 and 6.3. */
const headers = {
  "Content-Type": header("The body is compact JSON with sorted keys", "application/json"),
  "User-Agent": header("Of every delivery", "Service-Webhooks/1.0"),
  "X-Service-Event": header("The type of the event", eventType),
  "X-Service-Delivery-Id": header("Equal to `meta.delivery_id`", "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"),
  "X-Service-Timestamp": header(
    "Unix time in seconds at which this attempt was signed; refuse one that is more than five minutes from your clock",
    "1782864000"
  ),
  "X-Service-Signature": header(
    "`v1=` and the hex HMAC-SHA256 of `{timestamp}.{delivery_id}.{hex SHA-256 of the raw body}`, keyed with the " +
      "whole signing secret, `whsec_` included; compare it in constant time, before the body is parsed",
    "v1=88c45ef5330b1926431c878df6beaa71041801caacbe089d67d4dc5206cc6b71"
  ),
  "X-Service-Signature-Alternate": Schema.optionalKey(
    header(
      "The same with the other secret, for as long as a rotation leaves the old one valid; one of the two is to match yours. " +
        "After a `401` or `403` the same attempt is made once more, with the two exchanged",
      "v1=5d3f0c3c1d6f1e0f4f0f7c0c7f0f3f5f2a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d"
    )
  )
}

/** Specification section 6.4. */
const responses = {
  "2XX": { description: "Delivered" },
  "3XX": { description: "Failed: redirects are not followed, and it is not tried again" },
  "4XX": {
    description:
      "Failed, not tried again; but `408`, `409`, `425` and `429` are. Answer a wrong signature with `401` or `403`"
  },
  "5XX": { description: "Tried again, as after no answer within 10 seconds: five attempts in all" }
}

const statusChanged = HttpApiEndpoint.post(eventType, `/${eventType}`, {
  headers,
  payload: WebhookPayload,
  success: HttpApiSchema.Empty(204)
}).annotateMerge(
  OpenApi.annotations({
    summary: "The status of a proxy has changed",
    description:
      "Sent to the account's enabled endpoint as soon as it has happened. Every attempt is signed anew; the waits " +
      "before the next are about 30 seconds, 1, 2 and 4 minutes. The same event can arrive more than once, and " +
      "events out of order: deduplicate by `id` and compare `occurred_at`, or fetch the order, before acting.",
    override: { responses, tags: ["Webhooks"] }
  })
)

/** What a receiver answers: its paths are the types of events. */
export class WebhookEventsApi extends HttpApi.make("receiver").add(
  HttpApiGroup.make("receiver", { topLevel: true }).add(statusChanged)
) {}
