import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { eventType } from "./WebhookEndpoint.ts"
import { WebhookPayload } from "./WebhookPayload.ts"

const header = (description: string, example: string) => Schema.String.annotate({ description, examples: [example] })

/** The headers of every attempt (docs/contract.md, "Webhooks"). */
const headers = {
  "Content-Type": header("The body is compact JSON with sorted keys", "application/json"),
  "User-Agent": header("The same for every delivery", "Service-Webhooks/1.0"),
  "X-Service-Event": header("The type of the event", eventType),
  "X-Service-Delivery-Id": header("Equal to `meta.delivery_id`", "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"),
  "X-Service-Timestamp": header(
    "Unix time in seconds when this attempt was signed. Refuse an attempt that differs from your clock by more than five minutes",
    "1782864000"
  ),
  "X-Service-Signature": header(
    "`v1=` and the hex HMAC-SHA256 of `{timestamp}.{delivery_id}.{hex SHA-256 of the raw body}`. The key is the " +
      "whole signing secret, including `whsec_`. Compare in constant time, before you parse the body",
    "v1=88c45ef5330b1926431c878df6beaa71041801caacbe089d67d4dc5206cc6b71"
  ),
  "X-Service-Signature-Alternate": Schema.optionalKey(
    header(
      "The signature with the other secret, sent while a rotation keeps the old secret valid. Accept the request when one " +
        "of the two signatures matches. After a `401` or `403` the service exchanges the two headers and sends " +
        "the attempt once more",
      "v1=5d3f0c3c1d6f1e0f4f0f7c0c7f0f3f5f2a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d"
    )
  )
}

/** The meaning of each answer (docs/contract.md, "Webhooks"). */
const responses = {
  "2XX": { description: "Delivered" },
  "3XX": { description: "Failed. The service does not follow redirects and does not retry" },
  "4XX": {
    description:
      "Failed. The service retries only `408`, `409`, `425` and `429`. Answer a wrong signature with `401` or `403`"
  },
  "5XX": {
    description:
      "Failed. The service retries, as it does after 10 seconds without an answer. It makes five attempts in total"
  }
}

const statusChanged = HttpApiEndpoint.post(eventType, `/${eventType}`, {
  headers,
  payload: WebhookPayload,
  success: HttpApiSchema.Empty(204)
}).annotateMerge(
  OpenApi.annotations({
    summary: "The status of a proxy has changed",
    description:
      "The service sends this event to the account's enabled endpoint immediately. Every attempt has its own signature. " +
      "Retries follow after about 30 seconds, 1, 2 and 4 minutes. An event can arrive more than once, and events can " +
      "arrive out of order: deduplicate by `id`, and compare `occurred_at` or fetch the order before you act.",
    override: { responses, tags: ["Webhooks"] }
  })
)

/** The API of a receiver. Each path is a type of event. */
export class WebhookEventsApi extends HttpApi.make("receiver").add(
  HttpApiGroup.make("receiver", { topLevel: true }).add(statusChanged)
) {}
