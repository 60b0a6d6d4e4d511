import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { ProxyChanges } from "../orders/changes/ProxyChanges.ts"
import { managedProxyView } from "../orders/proxies/ManagedProxyView.ts"
import { isMobileRotating } from "../orders/Order.ts"
import { WrongProxyKind } from "../orders/proxies/ProxyErrors.ts"
import { Orders } from "../orders/Orders.ts"
import { ProxyManagement } from "../orders/proxies/ProxyManagement.ts"
import { proxyView } from "../orders/proxies/ProxyView.ts"
import * as PreviewProxyChange from "./PreviewProxyChange.ts"
import { ProxyTools } from "./ProxyTools.ts"
import { asTool } from "./ToolFailure.ts"

const notByMonths = new WrongProxyKind({
  detail: "A mobile rotating proxy is extended by another cycle, not by months: use extend_mobile_proxy"
})

export const layer = ProxyTools.toLayer(
  Effect.gen(function* () {
    const changes = yield* ProxyChanges
    const management = yield* ProxyManagement
    const orders = yield* Orders
    const preview = yield* PreviewProxyChange.make

    return ProxyTools.of({
      extend_proxy_period: Effect.fnUntraced(function* ({ confirm, idempotency_key, months, order_id }) {
        const caller = yield* Caller
        const order = yield* orders.get(caller.user_id, order_id)
        if (isMobileRotating(order)) return yield* notByMonths
        if (!confirm) {
          const agreed = yield* changes.quoteExtension(order, { months })
          return yield* preview(caller, "extend_proxy_period", agreed)
        }
        const extended = changes.extend(caller, order, { months }, idempotency_key)
        const { answer, replayed } = yield* Effect.uninterruptible(extended)
        if ("type" in answer) return yield* Effect.die(new Error(`order ${order_id} was extended by months`))
        return { dry_run: false as const, replayed, ...answer }
      }, asTool),
      buy_proxy_bandwidth: Effect.fnUntraced(function* ({ bandwidth_gb, confirm, idempotency_key, order_id }) {
        const caller = yield* Caller
        const order = yield* orders.get(caller.user_id, order_id)
        if (!confirm) {
          const agreed = yield* changes.quoteTraffic(order, { bandwidth_gb })
          return yield* preview(caller, "buy_proxy_bandwidth", agreed)
        }
        const bought = changes.addTraffic(caller, order, { bandwidth_gb }, idempotency_key)
        const { answer, replayed } = yield* Effect.uninterruptible(bought)
        return { dry_run: false as const, replayed, ...answer }
      }, asTool),
      set_auto_renew: Effect.fnUntraced(function* ({ enabled, order_id }) {
        const caller = yield* Caller
        return yield* changes.setAutoRenew(caller, yield* orders.get(caller.user_id, order_id), enabled)
      }, asTool),
      set_proxy_whitelist: Effect.fnUntraced(function* ({ order_id, whitelisted_ips }) {
        return managedProxyView(yield* management.setWhitelist(yield* Caller, order_id, whitelisted_ips), null)
      }, asTool),
      change_proxy_protocol: Effect.fnUntraced(function* ({ new_type, order_id }) {
        return yield* proxyView(yield* management.setProtocol(yield* Caller, order_id, new_type))
      }, asTool),
      sync_proxy_state: Effect.fnUntraced(function* ({ order_id }) {
        return yield* proxyView(yield* management.sync(yield* Caller, order_id))
      }, asTool)
    })
  })
)
