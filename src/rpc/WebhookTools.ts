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
  "422: the URL is not https, or its host has an address that is not public. 409 endpoint_already_enabled: an account has at most one enabled endpoint; disable the other first."

const listWebhooks = Rpc.make("list_webhooks", {
  payload: page(100, 50),
  success: WebhookList,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List webhook endpoints",
    description:
      "Lists the endpoints that receive status changes of the account's proxies, newest first, with the health of each. Free. The list has no signing secrets.",
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
    description: `Returns one endpoint: its URL, its health, and if it is enabled. Free. ${unknown}`,
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
      "true: the endpoint receives events. An account has at most one enabled endpoint"
    )
  },
  success: WebhookWithSecret,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Create a webhook endpoint",
    description: `Creates an endpoint: the service sends every later change of a proxy's status to its https URL (event proxy.status_changed). Free. Only this answer shows \`signing_secret\`: keep it to verify deliveries, and treat it as a secret. Try the endpoint with test_webhook. ${refusals} 409 too_many_endpoints: delete one first.`,
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
    description: `Changes an endpoint's URL, or enables or disables it. Omitted arguments stay unchanged. Free. Disabling cancels pending deliveries, and the service never sends events that happened while no endpoint was enabled. ${unknown} ${refusals}`,
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
    description: `Deletes an endpoint with its log and cancels its pending deliveries. Free. It cannot be undone. ${unknown}`,
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
    description: `Sends one made-up event to an endpoint, enabled or not, and returns the result within 10 seconds: \`delivered\`, the receiver's status code, or the error. Free. The service never retries a test. At most 10 a minute: 429 with \`details.retry_after\` seconds. ${unknown}`,
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
    description: `Replaces the signing secret of an endpoint. Only this answer shows the new one. The old secret stays valid for \`overlap_seconds\`, by default one day: change the receiver within that time. 0 ends the old secret immediately. Free. ${unknown}`,
    hints: { ...replaces, isIdempotent: false },
    scope: "full-access"
  })
)

/** The endpoints that receive changes of proxies. */
export const WebhookTools = RpcGroup.make(
  listWebhooks,
  getWebhook,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret
).middleware(ToolCaller)
