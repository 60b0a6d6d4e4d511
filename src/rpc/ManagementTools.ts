import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Notes } from "../orders/OrderFields.ts"
import { ListedOrderView } from "../orders/OrderView.ts"
import { AccessChange } from "../orders/proxies/AccessChange.ts"
import { DestinationsView, NewDestinations } from "../orders/proxies/DestinationsView.ts"
import { CredentialsView, ReleasedView, TagsView } from "../orders/proxies/ManagedProxyView.ts"
import { OrderHistoryView } from "../orders/proxies/OrderHistoryView.ts"
import { MobileSnapshotView } from "../orders/proxies/MobileSnapshotView.ts"
import { RefusalsView } from "../orders/proxies/RefusalsView.ts"
import { Tags } from "../orders/proxies/Tags.ts"
import { ProxyTestView } from "../orders/proxies/ProxyTestView.ts"
import { adds, reads, replaces, tool } from "./ToolAnnotations.ts"
import { order_id, page } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

const order = "404 or 403: the order_id is not one of the account's orders; see list_my_orders."
const errors = `${order} 400: the order has no live proxy (not set up yet, or ended), or its provider does not have this operation. 409 operation_in_progress: another operation on the proxy is running; try again in a moment. 409 provider_refused: nothing was changed. 503: the provider does not answer; nothing was changed, try again.`

const setProxyCredentials = Rpc.make("set_proxy_credentials", {
  payload: Schema.Struct({ order_id, ...AccessChange.fields }).check(
    Schema.makeFilter(
      ({ ips, passwords }) => ips !== undefined || passwords !== undefined || "needs `ips`, `passwords` or both"
    )
  ),
  success: Schema.Union([CredentialsView, MobileSnapshotView]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Replace a proxy's credentials",
    description: `Replaces the access to a proxy, static or mobile: the source addresses that need no password (\`ips\`), the logins (\`passwords\`), or both. Each list has at most 20 entries; an omitted list stays unchanged. Free. Programs with an old login stop working. Returns the first login. ${errors}`,
    hints: replaces,
    scope: "full-access"
  })
)

const setProxyTags = Rpc.make("set_proxy_tags", {
  payload: { order_id, tags: Tags },
  success: Schema.Union([TagsView, MobileSnapshotView]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Set a proxy's tags",
    description: `Replaces the tags of a proxy, static or mobile. Free. ${order} 400: the order has no live proxy.`,
    hints: replaces,
    scope: "full-access"
  })
)

const releaseProxy = Rpc.make("release_proxy", {
  payload: { order_id },
  success: Schema.Union([ReleasedView, MobileSnapshotView]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Release a proxy",
    description: `Ends a proxy, static or mobile, and its order permanently. Free, and without a refund: prepaid time and traffic are lost. It cannot be undone: ask the person first. Returns the proxy as cancelled; a second release answers 400. ${errors}`,
    hints: replaces,
    scope: "full-access"
  })
)

const setOrderNotes = Rpc.make("set_order_notes", {
  payload: { order_id, notes: Notes.annotate({ description: "Replaces the notes; an empty text removes them" }) },
  success: ListedOrderView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Set an order's notes",
    description: `Replaces the private notes of an order, at most 1000 characters. The dashboard shows them as the name of the proxy. Free. ${order}`,
    hints: replaces,
    scope: "full-access"
  })
)

const testProxy = Rpc.make("test_proxy", {
  payload: { order_id },
  success: ProxyTestView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Test a proxy",
    description: `Connects through a proxy from the service's side and tells whether it works, how fast, and with which exit address. Free, but it uses some kilobytes of the proxy's traffic. With a whitelist, the proxy refuses the service too: \`failure\` is then address_not_allowed. At most 6 times a minute for a proxy: 429 with \`details.retry_after\` seconds. ${order} 400: the order has no live proxy.`,
    hints: adds,
    scope: "full-access"
  })
)

const getOrderHistory = Rpc.make("get_order_history", {
  payload: { order_id, ...page(100, 50) },
  success: OrderHistoryView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get an order's history",
    description: `Returns what happened to one order and who did it, newest first: its purchase, its delivery, its changes, renewals that failed with their reason, its end. Free. \`actor\` is \`session\` for the person in the browser, \`api_key\` or \`oauth\` for a program with its name, \`service\` for the service, \`owner\` for a credential that is not on record. \`total\` counts all entries. ${order}`,
    hints: reads,
    scope: "full-access"
  })
)

const getProxyRefusals = Rpc.make("get_proxy_refusals", {
  payload: { order_id },
  success: RefusalsView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get refused connections",
    description: `Returns why the gateway refused connections of a proxy in the last 7 days, newest first. Free. Each entry counts equal refusals of one UTC day: \`source_ip\` is the client when the client is the reason, \`host\` and \`port\` are the destination when that is the reason. Call it when a proxy does not work as expected. no_credentials is normal for browsers. ${order} 400: the order has no live proxy, or its provider does not have this operation. 503: the provider does not answer; try again.`,
    hints: reads,
    scope: "full-access"
  })
)

const getProxyDestinations = Rpc.make("get_proxy_destinations", {
  payload: { order_id },
  success: DestinationsView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get a proxy's destination rules",
    description: `Returns the account's own rules about the destinations of a proxy; an empty list closes nothing. Free. ${order} 400: the order has no live proxy, or its provider does not have this operation. 503: the provider does not answer; try again.`,
    hints: reads,
    scope: "full-access"
  })
)

const setProxyDestinations = Rpc.make("set_proxy_destinations", {
  payload: { order_id, rules: NewDestinations },
  success: DestinationsView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Set a proxy's destination rules",
    description: `Replaces the rules about the destinations of a proxy, at most 50. Free. A rule has a host, a network or ports, or ports with one of the others. \`deny\` wins; with an \`allow\`, every destination that no \`allow\` fits is closed. An empty list opens everything that the operator has not closed. Takes effect within a second and ends open connections that it forbids. ${errors}`,
    hints: replaces,
    scope: "full-access"
  })
)

/** Free operations on orders and proxies of both kinds, beside the documented ones. */
export const ManagementTools = RpcGroup.make(
  setProxyCredentials,
  setProxyTags,
  releaseProxy,
  setOrderNotes,
  testProxy,
  getOrderHistory,
  getProxyRefusals,
  getProxyDestinations,
  setProxyDestinations
).middleware(ToolCaller)
