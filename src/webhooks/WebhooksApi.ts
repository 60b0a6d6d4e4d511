import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { UserNotFound } from "../accounts/AccountErrors.ts"
import { Authentication, Unauthorized } from "../accounts/Authentication.ts"
import { OutboundUrl } from "../platform/outbound/OutboundUrl.ts"
import { optional } from "../platform/fields/Optional.ts"
import * as Page from "../platform/fields/Page.ts"
import { RateLimited } from "../platform/requests/RateLimit.ts"
import { RequestInvalid } from "../platform/errors/RequestInvalid.ts"
import { Text } from "../platform/fields/Text.ts"
import { withDefault } from "../platform/fields/WithDefault.ts"
import { WebhookAttempt } from "./WebhookAttempt.ts"
import { WebhookDeliveryId } from "./WebhookDelivery.ts"
import { endpointsPerAccount, overlap, WebhookEndpoint, WebhookEndpointId } from "./WebhookEndpoint.ts"
import { TooManyWebhooks, WebhookAlreadyEnabled, WebhookNotFound } from "./WebhookErrors.ts"

const params = { endpoint_id: WebhookEndpointId }

/** The length is checked before the spelling, so that one cause is one fault. */
const url = Text(1, 2048)
  .annotate({
    description: "An `https` URL without username and password. Its host must have public addresses only",
    format: "uri",
    examples: ["https://example.com/hooks/proxies"]
  })
  .pipe(Schema.decodeTo(OutboundUrl))

const { enabled } = WebhookEndpoint.fields

export const NewWebhook = Schema.Struct({
  url,
  enabled: withDefault(
    enabled,
    true,
    "True when the endpoint receives events. An account has at most one enabled endpoint"
  )
}).annotate({ identifier: "NewWebhook" })

export const WebhookChange = Schema.Struct({
  url: optional(url),
  enabled: optional(enabled)
}).annotate({ identifier: "WebhookChange" })

export const Webhook = WebhookEndpoint.json.annotate({ identifier: "WebhookEndpoint" })

export const WebhookWithSecret = Schema.Struct({
  ...WebhookEndpoint.json.fields,
  signing_secret: Schema.String.annotate({
    description: "Key of the signatures. Only this answer shows it",
    examples: ["whsec_3f9a1c07d2e84b56a1f0c9d8e7b6a5f4c3d2e1f00f1e2d3c4b5a69788796b7e204"]
  })
}).annotate({ identifier: "WebhookEndpointWithSecret" })

export const WebhookRotation = Schema.Struct({
  overlap_seconds: withDefault(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: overlap.mostSeconds })).annotate({
      examples: [overlap.defaultSeconds]
    }),
    overlap.defaultSeconds,
    "Seconds that the old secret stays valid beside the new one. 0 ends it immediately"
  )
}).annotate({ identifier: "WebhookSecretRotation" })

export const WebhookTestResult = Schema.Struct({
  delivery_id: WebhookDeliveryId.annotate({ description: "Id of the delivery in the log" }),
  delivered: Schema.Boolean.annotate({ description: "True when the receiver answered 2xx", examples: [false] }),
  status_code: WebhookAttempt.fields.status_code,
  duration_ms: Schema.Int.annotate({ examples: [87] }),
  error: WebhookAttempt.fields.error
}).annotate({ identifier: "WebhookTestResult" })

export const WebhookList = Schema.Struct({
  webhooks: Schema.Array(Webhook),
  total: Schema.Int.annotate({ examples: [1] }),
  limit: Schema.Int.annotate({ examples: [50] }),
  offset: Schema.Int.annotate({ examples: [0] })
}).annotate({ identifier: "WebhookEndpointList" })

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const list = HttpApiEndpoint.get("list", "/", {
  query: Page.query(100, 50),
  success: WebhookList
}).annotateMerge(described("List endpoints", "Your webhook endpoints, newest first, without their secrets."))

const create = HttpApiEndpoint.post("create", "/", {
  payload: NewWebhook,
  success: WebhookWithSecret.pipe(HttpApiSchema.status(201)),
  error: [UserNotFound, Unauthorized, TooManyWebhooks, WebhookAlreadyEnabled, RequestInvalid]
}).annotateMerge(
  described(
    "Create an endpoint",
    "The answer shows the signing secret once. The endpoint is enabled by default and receives later changes of your " +
      "proxies, no earlier ones. A URL that is not `https`, or whose host has an address that is not public (such as " +
      "`localhost`), gets `422`. `409` means: another endpoint is enabled (`endpoint_already_enabled`), or the account " +
      `has ${endpointsPerAccount} endpoints (\`too_many_endpoints\`).`
  )
)

const find = HttpApiEndpoint.get("find", "/:endpoint_id", {
  params,
  success: Webhook,
  error: WebhookNotFound
}).annotateMerge(
  described("Get an endpoint", "The endpoint without its secret. An endpoint of another account gets `404`.")
)

const change = HttpApiEndpoint.patch("change", "/:endpoint_id", {
  params,
  payload: WebhookChange,
  success: Webhook,
  error: [WebhookNotFound, WebhookAlreadyEnabled, RequestInvalid]
}).annotateMerge(
  described(
    "Change an endpoint",
    "Changes the URL, or enables or disables the endpoint. A change without effect is no error. Disabling cancels " +
      "pending deliveries for good, and the service never sends events that happened while no endpoint was enabled. Retries go to " +
      "the current URL. Enabling the endpoint or changing its URL clears `failing_since`. The service looks up the host " +
      "of another URL after the check for `404` and before the check for `409`."
  )
)

const remove = HttpApiEndpoint.delete("remove", "/:endpoint_id", {
  params,
  success: HttpApiSchema.Empty(204),
  error: WebhookNotFound
}).annotateMerge(
  described("Delete an endpoint", "Deletes the endpoint with its log and cancels its pending deliveries.")
)

const test = HttpApiEndpoint.post("test", "/:endpoint_id/test", {
  params,
  success: WebhookTestResult,
  error: [WebhookNotFound, RateLimited]
}).annotateMerge(
  described(
    "Send a test",
    "Sends one made-up event (`meta.is_test` true, `proxy.previous_status` null) immediately and returns the result " +
      "within 10 seconds, with `200` for every answer of the receiver. The service never retries a test. A disabled " +
      "endpoint can be tested too. A delivered test clears `failing_since`. The log shows a test as a delivery. An " +
      "account may send 10 tests a minute. Above that, or while too many tests are under way, the answer is `429` with " +
      "`Retry-After`."
  )
)

const rotateSecret = HttpApiEndpoint.post("rotateSecret", "/:endpoint_id/rotate-secret", {
  params,
  payload: [WebhookRotation, HttpApiSchema.NoContent],
  success: WebhookWithSecret,
  error: WebhookNotFound
})
  .annotateMerge(
    described(
      "Replace the signing secret",
      "The answer shows a new secret once. The request needs no body. The old secret stays valid for `overlap_seconds`, by " +
        "default one day. Until then every attempt carries signatures with both secrets, so a receiver with either " +
        "secret continues. 0 ends the old secret immediately: use it when somebody else may know it. A second rotation " +
        "within the overlap ends the oldest secret immediately."
    )
  )
  .annotate(OpenApi.Transform, ({ requestBody, ...operation }) => ({
    ...operation,
    requestBody: { ...requestBody, required: false }
  }))

/** Only a session or an unrestricted API key may manage endpoints (docs/contract.md, "Webhooks"). */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(list, create, find, change, remove, test, rotateSecret)
  .prefix("/webhooks")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description:
        "URLs that receive the changes of your proxies. `webhooks` in this document describes the requests to a receiver " +
        "and the meaning of its answers. Every operation needs a session or an unrestricted API key."
    })
  ) {}
