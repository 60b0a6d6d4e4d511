import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { withDefault } from "../platform/fields/WithDefault.ts"
import { WebhookEndpointId } from "../webhooks/WebhookEndpoint.ts"
import {
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookRotation,
  WebhookTestResult,
  WebhookWithSecret
} from "../webhooks/WebhooksApi.ts"
import { adds, reads, replaces, tool } from "./ToolAnnotations.ts"
import { page } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

export const endpoint_id = WebhookEndpointId.annotate({ description: "The `id` of an endpoint, from list_webhooks" })

const unknown = "404: the account has no such endpoint."
const refusals =
  "An argument that is no URL is refused as one; 422: the URL is not https, or leads to an address that is not public. 409 endpoint_already_enabled: one endpoint is enabled at a time; disable the other first."

const listWebhooks = Rpc.make("list_webhooks", {
  payload: page(100, 50),
  success: WebhookList,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List webhook endpoints",
    description:
      "Lists where changes of the status of the account's proxies are sent, newest first, and how each endpoint fares. Free. Signing secrets are not shown.",
    hints: reads,
    scope: "full-access"
  })
)

const getWebhook = Rpc.make("get_webhook", {
  payload: { endpoint_id },
  success: Webhook,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get a webhook endpoint",
    description: `Answers one endpoint: its URL, whether it is enabled and how it fares. Free. ${unknown}`,
    hints: reads,
    scope: "full-access"
  })
)

const createWebhook = Rpc.make("create_webhook", {
  payload: {
    url: NewWebhook.fields.url,
    enabled: withDefault(
      Schema.Boolean,
      true,
      "Whether events are sent to it from here on; one endpoint of an account is enabled at a time"
    )
  },
  success: WebhookWithSecret,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Create a webhook endpoint",
    description: `Has every change of a proxy's status sent to an https address of yours (event proxy.status_changed), from here on. Free. The answer shows \`signing_secret\` only this once: keep it to verify deliveries, and treat it as a secret. Try the endpoint with test_webhook. ${refusals} 409 too_many_endpoints: delete one first.`,
    hints: adds,
    scope: "full-access"
  })
)

const updateWebhook = Rpc.make("update_webhook", {
  payload: { endpoint_id, ...WebhookChange.fields },
  success: Webhook,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Change a webhook endpoint",
    description: `Changes an endpoint's URL, or enables or disables it; what is left out stays. Free. Disabling cancels deliveries that are on their way, and what happens while no endpoint is enabled is never sent. ${unknown} ${refusals}`,
    hints: replaces,
    scope: "full-access"
  })
)

const deleteWebhook = Rpc.make("delete_webhook", {
  payload: { endpoint_id },
  success: Schema.Struct({ deleted: Schema.Literal(true) }),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Delete a webhook endpoint",
    description: `Deletes an endpoint with its log, and cancels what is on its way. Free. Cannot be undone. ${unknown}`,
    hints: replaces,
    scope: "full-access"
  })
)

const testWebhook = Rpc.make("test_webhook", {
  payload: { endpoint_id },
  success: WebhookTestResult,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Test a webhook endpoint",
    description: `Sends one made-up event to an endpoint, enabled or not, and answers within 10 seconds how that went: \`delivered\`, the receiver's status code, or what went wrong. Free. It is not tried again. At most 10 a minute: 429 with \`details.retry_after\` seconds. ${unknown}`,
    hints: { ...adds, isOpenWorld: true },
    scope: "full-access"
  })
)

const rotateWebhookSecret = Rpc.make("rotate_webhook_secret", {
  payload: { endpoint_id, ...WebhookRotation.fields },
  success: WebhookWithSecret,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Replace a signing secret",
    description: `Gives an endpoint another signing secret, shown only in this answer. The old one stays valid for \`overlap_seconds\`, a day by default; change the receiver within that time, or give 0 to end it at once. Free. ${unknown}`,
    hints: { ...replaces, isIdempotent: false },
    scope: "full-access"
  })
)

/** Where changes of proxies are sent. */
export const WebhookTools = RpcGroup.make(
  listWebhooks,
  getWebhook,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret
).middleware(ToolCaller)
