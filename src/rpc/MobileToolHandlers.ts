import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { ProxyChanges } from "../orders/changes/ProxyChanges.ts"
import { MobileProxies } from "../orders/proxies/MobileProxies.ts"
import { mobileSnapshotView } from "../orders/proxies/MobileSnapshotView.ts"
import { isMobileRotating } from "../orders/Order.ts"
import { WrongProxyKind } from "../orders/proxies/ProxyErrors.ts"
import { Orders } from "../orders/Orders.ts"
import type { Synced } from "../orders/proxies/ProxySync.ts"
import * as PreviewProxyChange from "./PreviewProxyChange.ts"
import { MobileTools } from "./MobileTools.ts"
import { asTool } from "./ToolFailure.ts"

const notByCycle = new WrongProxyKind({ detail: "A static proxy is extended by months: use extend_proxy_period" })

const shown = ({ order, proxy }: Synced) => mobileSnapshotView(order, proxy)

export const layer = MobileTools.toLayer(
  Effect.gen(function* () {
    const changes = yield* ProxyChanges
    const orders = yield* Orders
    const preview = yield* PreviewProxyChange.make
    const proxies = yield* MobileProxies

    return MobileTools.of({
      extend_mobile_proxy: Effect.fnUntraced(function* ({ confirm, idempotency_key, order_id, tarification_index }) {
        const caller = yield* Caller
        const order = yield* orders.get(caller.user_id, order_id)
        if (!isMobileRotating(order)) return yield* notByCycle
        if (!confirm) {
          const agreed = yield* changes.quoteExtension(order, { tarification_index })
          return yield* preview(caller, "extend_mobile_proxy", agreed)
        }
        const extended = changes.extend(caller, order, { tarification_index }, idempotency_key)
        const { answer, replayed } = yield* Effect.uninterruptible(extended)
        if (!("type" in answer)) return yield* Effect.die(new Error(`order ${order_id} was extended by tariff`))
        return { dry_run: false as const, replayed, ...answer }
      }, asTool),
      reset_mobile_ip: Effect.fnUntraced(function* ({ order_id }) {
        return yield* shown(yield* proxies.reset(yield* Caller, order_id))
      }, asTool),
      list_mobile_signatures: () => Effect.succeed({ signatures: proxies.signatures }),
      set_mobile_signature: Effect.fnUntraced(function* ({ order_id, signature }) {
        return yield* shown(yield* proxies.setSignature(yield* Caller, order_id, signature))
      }, asTool)
    })
  })
)
