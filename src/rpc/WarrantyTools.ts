import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { ProxyCheckView } from "../orders/warranty/ProxyCheckView.ts"
import { ReplacementView } from "../orders/warranty/ReplacementView.ts"
import { UptimeView } from "../orders/warranty/UptimeView.ts"
import { adds, reads, replaces, sets, tool } from "./ToolAnnotations.ts"
import { order_id, purchase } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

const order = "404 or 403: the order_id is not one of the account's orders; see list_my_orders."

const checkProxy = Rpc.make("check_proxy", {
  payload: { order_id },
  success: ProxyCheckView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Check a proxy",
    description: `Tries a proxy now and compares its exit address; takes at most 10 seconds. Free. \`status\` is \`ok\`, \`failing\` or \`unknown\`; \`replaceable.free\` tells whether replace_proxy works now. At most 6 checks of an account in a minute: 429 with \`details.retry_after\` seconds. 409 operation_in_progress: another check of the proxy runs. ${order} 400: the order has no live proxy.`,
    hints: adds,
    scope: "full-access"
  })
)

const getProxyUptime = Rpc.make("get_proxy_uptime", {
  payload: {
    order_id,
    days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 })).annotate({ description: "The last days" })
  },
  success: UptimeView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get the uptime of a proxy",
    description: `Shows how the tries of a proxy ended in the last days, by hour, with its outages. Free. check_proxy tries it now. ${order}`,
    hints: reads,
    scope: "full-access"
  })
)

const replaceProxy = Rpc.make("replace_proxy", {
  payload: { order_id, ...purchase },
  success: ReplacementView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Replace a proxy",
    description: `Moves a static proxy to another exit address under the warranty, only with confirm=true. Free. First call without it for a dry run. Host, port, logins, whitelist, end and traffic stay; open connections end. 409 not_failing: the proxy has not failed three times in a row within the last 10 minutes, and its first day or its first replacement is over; call check_proxy. 409 out_of_stock: no other address is free; try again later. 409 idempotency_key_reused: the key belongs to another request. 409 request_still_running: call again with the same key in a moment. ${order} 400: the order has no live static proxy, or its provider gives no other address.`,
    hints: replaces,
    scope: "full-access"
  })
)

const setAutoReplace = Rpc.make("set_auto_replace", {
  payload: {
    order_id,
    enabled: Schema.Boolean.annotate({
      description: "true: the service replaces the proxy when it fails for half an hour"
    })
  },
  success: Schema.Struct({ order_id: Schema.String, auto_replace: Schema.Boolean }),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Switch automatic replacement",
    description: `Switches the replacement of a failing static proxy without a request on or off; it is on by default. Free. ${order}`,
    hints: sets,
    scope: "full-access"
  })
)

/** Whether proxies work, and what follows if not. */
export const WarrantyTools = RpcGroup.make(checkProxy, getProxyUptime, replaceProxy, setAutoReplace).middleware(
  ToolCaller
)
