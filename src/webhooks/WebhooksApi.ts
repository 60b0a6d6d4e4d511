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

/** Judged before its spelling, so that one cause is one fault. */
const url = Text(1, 2048)
  .annotate({
    description: "`https`, without username and password, leading to public addresses only",
    format: "uri",
    examples: ["https://example.com/hooks/proxies"]
  })
  .pipe(Schema.decodeTo(OutboundUrl))

const { enabled } = WebhookEndpoint.fields

export const NewWebhook = Schema.Struct({
  url,
  enabled: withDefault(enabled, true, "Whether events are sent to it; one endpoint of an account is enabled at a time")
}).annotate({ identifier: "NewWebhook" })

export const WebhookChange = Schema.Struct({
  url: optional(url),
  enabled: optional(enabled)
}).annotate({ identifier: "WebhookChange" })

export const Webhook = WebhookEndpoint.json.annotate({ identifier: "WebhookEndpoint" })

export const WebhookWithSecret = Schema.Struct({
  ...WebhookEndpoint.json.fields,
  signing_secret: Schema.String.annotate({
    description: "Signs what is sent; shown only here",
    examples: ["whsec_3f9a1c07d2e84b56a1f0c9d8e7b6a5f4c3d2e1f00f1e2d3c4b5a69788796b7e204"]
  })
}).annotate({ identifier: "WebhookEndpointWithSecret" })

export const WebhookRotation = Schema.Struct({
  overlap_seconds: withDefault(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: overlap.mostSeconds })).annotate({
      examples: [overlap.defaultSeconds]
    }),
    overlap.defaultSeconds,
    "How long the secret that is replaced stays valid beside the new one; 0 ends it at once"
  )
}).annotate({ identifier: "WebhookSecretRotation" })

export const WebhookTestResult = Schema.Struct({
  delivery_id: WebhookDeliveryId.annotate({ description: "Of its entry in the log" }),
  delivered: Schema.Boolean.annotate({ description: "Whether the answer was a 2xx", examples: [false] }),
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
}).annotateMerge(described("List endpoints", "Your webhook endpoints, newest first; never their secrets."))

const create = HttpApiEndpoint.post("create", "/", {
  payload: NewWebhook,
  success: WebhookWithSecret.pipe(HttpApiSchema.status(201)),
  error: [UserNotFound, Unauthorized, TooManyWebhooks, WebhookAlreadyEnabled, RequestInvalid]
}).annotateMerge(
  described(
    "Create an endpoint",
    "Answers its signing secret once. It is enabled unless you say otherwise. Changes of proxies are sent to it " +
      "from here on, earlier ones are not. A URL that is not `https` or leads to an address that is not public, such " +
      "as `localhost`, answers `422`; `409` means that another endpoint is enabled (`endpoint_already_enabled`), or " +
      `that there are ${endpointsPerAccount} (\`too_many_endpoints\`).`
  )
)

const find = HttpApiEndpoint.get("find", "/:endpoint_id", {
  params,
  success: Webhook,
  error: WebhookNotFound
}).annotateMerge(
  described("Get an endpoint", "Where it is and how it fares; not its secret. Another account's answers `404`.")
)

const change = HttpApiEndpoint.patch("change", "/:endpoint_id", {
  params,
  payload: WebhookChange,
  success: Webhook,
  error: [WebhookNotFound, WebhookAlreadyEnabled, RequestInvalid]
}).annotateMerge(
  described(
    "Change an endpoint",
    "Another URL, or enable or disable it; a change that changes nothing is no error. Disabling cancels what is " +
      "on its way, for ever: what happens while no endpoint is enabled is not sent later. What is still to be tried " +
      "goes to the URL of that moment. Enabling, or another URL, ends `failing_since`. Where a URL leads is looked up when it is another than before, after `404` " +
      "and before `409`."
  )
)

const remove = HttpApiEndpoint.delete("remove", "/:endpoint_id", {
  params,
  success: HttpApiSchema.Empty(204),
  error: WebhookNotFound
}).annotateMerge(
  described("Delete an endpoint", "Cancels what is on its way. Its deliveries and their log are deleted with it.")
)

const test = HttpApiEndpoint.post("test", "/:endpoint_id/test", {
  params,
  success: WebhookTestResult,
  error: [WebhookNotFound, RateLimited]
}).annotateMerge(
  described(
    "Send a test",
    "Sends one made-up event (`meta.is_test` true, `proxy.previous_status` null) at once and answers how it went: at " +
      "most 10 seconds later, `200` whatever the receiver said. It is not tried again, and works at a disabled " +
      "endpoint too. A test that arrives ends `failing_since`. It is in the log as a delivery. At most 10 a minute " +
      "for an account: beyond that, or while very many are under way, `429` with `Retry-After`."
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
      "Answers a new secret once; a request needs no body. The secret that it replaces stays valid for `overlap_seconds`, a " +
        "day unless you say otherwise, and every attempt is signed with both: a receiver that knows either goes on. 0 ends it " +
        "at once: do that when somebody else may know it. A second rotation within that time ends the oldest secret at once."
    )
  )
  .annotate(OpenApi.Transform, ({ requestBody, ...operation }) => ({
    ...operation,
    requestBody: { ...requestBody, required: false }
  }))

/** Endpoints are managed with full access only (specification section 4.10). */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(list, create, find, change, remove, test, rotateSecret)
  .prefix("/webhooks")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description:
        "Where the changes of your proxies are sent to. What a receiver gets, and what its answers lead to, is under " +
        "`webhooks`. Every operation needs a signed-in session or an unrestricted API key."
    })
  ) {}
