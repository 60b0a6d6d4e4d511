import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { SwitchableProtocol } from "../catalog/Offer.ts"
import { AutoRenewView, BandwidthView, ManagedProxyView, WhitelistView } from "../orders/proxies/ManagedProxyView.ts"
import { MobileSnapshotView } from "../orders/proxies/MobileSnapshotView.ts"
import { ProxyView } from "../orders/proxies/ProxyView.ts"
import { sourceAddresses } from "../orders/proxies/SourceAddress.ts"
import { ExtensionPreview, TrafficPreview } from "./PreviewProxyChange.ts"
import { bought } from "./PreviewPurchase.ts"
import { replaces, sets, spends, tool } from "./ToolAnnotations.ts"
import { order_id, purchase } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

const order = "404 or 403: the order_id is not one of the account's orders; see list_my_orders."
const ended =
  "400: the order has no live proxy (not set up yet, or ended), or its kind or provider does not have this operation."
const busy =
  "409 operation_in_progress: another operation on the proxy is running; try again in a moment. 409 provider_refused: the provider refused; nothing was changed. 503: the provider does not answer; nothing was changed, try again."

export const spending =
  "Spends money from the wallet, and only with confirm=true. First call without it for a dry run: the answer has the price, which holds for 10 minutes, the account's wallets and the next step. Then call again with the same arguments, the same idempotency_key and confirm=true. After a lost answer call again with the same idempotency_key: nothing is bought twice."

export const spendingErrors = `${order} ${ended} 409 insufficient_balance: \`details\` has the price and the balance; a person must make a deposit. 409 offer_withdrawn: the proxy's offer is no longer sold; order another proxy. 409 offer_changed: the tariff is another one since the dry run; repeat the dry run. 409 idempotency_key_reused: the key belongs to another purchase. 409 request_still_running: the purchase is not settled yet; call again with the same key in a moment. 403 daily_spend_limit_reached: the API key or the app may not spend more today. 403 purchases_stopped: a payment was refunded or disputed, or the account is restricted; only the operator can help. ${busy} If the provider does not deliver a purchase, the money returns to the wallet.`

const extendProxyPeriod = Rpc.make("extend_proxy_period", {
  payload: {
    order_id,
    months: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 24 })).annotate({
      description: "Calendar months to add to the proxy's end"
    }),
    ...purchase
  },
  success: Schema.Union([ExtensionPreview, ManagedProxyView.mapFields((fields) => ({ ...bought, ...fields }))]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Extend a proxy",
    description: `Adds calendar months to a static proxy (residential or datacenter), with the traffic that its offer includes for this time; host, port and credentials stay. ${spending} 400 for a mobile rotating proxy: use set_auto_renew, or extend_mobile_proxy with an unrestricted API key. ${spendingErrors}`,
    hints: spends,
    scope: "orders:write"
  })
)

const buyProxyBandwidth = Rpc.make("buy_proxy_bandwidth", {
  payload: {
    order_id,
    bandwidth_gb: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5000 })).annotate({
      description: "GB (10^9 bytes) to add to the running cycle"
    }),
    ...purchase
  },
  success: Schema.Union([TrafficPreview, BandwidthView.mapFields((fields) => ({ ...bought, ...fields }))]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Buy traffic",
    description: `Adds traffic to a proxy with a traffic limit, at its offer's price per GB, until the proxy's end. get_order shows the limit and the used traffic. ${spending} 400 also means: the traffic is already unlimited, or the offer sells no traffic. ${spendingErrors}`,
    hints: spends,
    scope: "orders:write"
  })
)

const setAutoRenew = Rpc.make("set_auto_renew", {
  payload: {
    order_id,
    enabled: Schema.Boolean.annotate({ description: "true: the service renews the proxy from the wallet" })
  },
  success: Schema.Union([AutoRenewView, MobileSnapshotView]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Switch auto-renew",
    description: `Switches auto-renew of a proxy on or off. Free. While auto-renew is on, the service extends the proxy from the wallet shortly before its end: a static proxy by one month, a mobile rotating proxy by its tariff. The service announces a much higher price ahead, so that the customer can switch auto-renew off. The call is idempotent. ${order} 400: the proxy is not set up yet, or has ended.`,
    hints: sets,
    scope: "orders:write"
  })
)

const setProxyWhitelist = Rpc.make("set_proxy_whitelist", {
  payload: {
    order_id,
    whitelisted_ips: sourceAddresses(
      100,
      "IPv4 or IPv6 addresses that may use the proxy without a password, at most 100. The list replaces the current one; with an empty list every client needs username and password"
    )
  },
  success: WhitelistView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Set a proxy's whitelist",
    description: `Replaces the addresses that may use a static proxy without username and password. Free. The call replaces the whole list: to add one address, send the current ones (get_order, \`whitelisted_ips\`) and the new one. 400 for a mobile rotating proxy: use set_proxy_credentials with an unrestricted API key. ${order} ${ended} ${busy}`,
    hints: replaces,
    scope: "orders:write"
  })
)

const changeProxyProtocol = Rpc.make("change_proxy_protocol", {
  payload: {
    order_id,
    new_type: SwitchableProtocol.annotate({
      description: "The only protocol of the proxy after the call. HTTP includes CONNECT, so it carries https too"
    })
  },
  success: ProxyView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Change a proxy's protocol",
    description: `Changes the protocol of a proxy. Free. Change the programs that use the proxy too. Host or port may change: read them with get_order afterwards. ${order} ${ended} ${busy}`,
    hints: replaces,
    scope: "orders:write"
  })
)

const syncProxyState = Rpc.make("sync_proxy_state", {
  payload: { order_id },
  success: ProxyView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Sync a proxy",
    description: `Updates an order from the proxy's provider and returns the order. Free. The service does this about hourly: call it when a proxy does not behave as get_order says. ${order} ${ended} ${busy}`,
    hints: sets,
    scope: "orders:write"
  })
)

/** Operations on proxies. */
export const ProxyTools = RpcGroup.make(
  extendProxyPeriod,
  buyProxyBandwidth,
  setAutoRenew,
  setProxyWhitelist,
  changeProxyProtocol,
  syncProxyState
).middleware(ToolCaller)
