import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { Orders } from "../orders/Orders.ts"
import { listedOrderView } from "../orders/OrderView.ts"
import { destinationRules } from "../orders/proxies/DestinationsView.ts"
import { credentialsView, releasedView, tagsView } from "../orders/proxies/ManagedProxyView.ts"
import { orderHistoryEntry } from "../orders/proxies/OrderHistoryView.ts"
import { ProxyDestinations } from "../orders/proxies/ProxyDestinations.ts"
import { ProxyHistory } from "../orders/proxies/ProxyHistory.ts"
import { ProxyManagement } from "../orders/proxies/ProxyManagement.ts"
import { ProxyRefusals } from "../orders/proxies/ProxyRefusals.ts"
import { ProxyTests } from "../orders/proxies/ProxyTests.ts"
import { viewOf } from "../orders/proxies/ProxyView.ts"
import { refusalsView } from "../orders/proxies/RefusalsView.ts"
import { ManagementTools } from "./ManagementTools.ts"
import { asTool } from "./ToolFailure.ts"

export const layer = ManagementTools.toLayer(
  Effect.gen(function* () {
    const destinations = yield* ProxyDestinations
    const history = yield* ProxyHistory
    const management = yield* ProxyManagement
    const orders = yield* Orders
    const refusals = yield* ProxyRefusals
    const tests = yield* ProxyTests

    return ManagementTools.of({
      set_proxy_credentials: Effect.fnUntraced(function* ({ order_id, ...access }) {
        return yield* viewOf(yield* management.setAccess(yield* Caller, order_id, access), credentialsView)
      }, asTool),
      set_proxy_tags: Effect.fnUntraced(function* ({ order_id, tags }) {
        return yield* viewOf(yield* management.setTags(yield* Caller, order_id, tags), tagsView)
      }, asTool),
      release_proxy: Effect.fnUntraced(function* ({ order_id }) {
        return yield* viewOf(
          { order: yield* management.release(yield* Caller, order_id), proxy: undefined },
          releasedView
        )
      }, asTool),
      set_order_notes: Effect.fnUntraced(function* ({ notes, order_id }) {
        return listedOrderView(yield* orders.setNotes((yield* Caller).user_id, order_id, notes))
      }, asTool),
      test_proxy: Effect.fnUntraced(function* ({ order_id }) {
        return yield* tests.run((yield* Caller).user_id, order_id)
      }, asTool),
      get_order_history: Effect.fnUntraced(function* ({ limit, offset, order_id }) {
        const { events, total } = yield* history.list((yield* Caller).user_id, order_id, { limit, offset })
        return { history: events.map(orderHistoryEntry), total, limit, offset }
      }, asTool),
      get_proxy_refusals: Effect.fnUntraced(function* ({ order_id }) {
        return refusalsView(order_id, yield* refusals.list((yield* Caller).user_id, order_id))
      }, asTool),
      get_proxy_destinations: Effect.fnUntraced(function* ({ order_id }) {
        return { order_id, rules: yield* destinations.read((yield* Caller).user_id, order_id) }
      }, asTool),
      set_proxy_destinations: Effect.fnUntraced(function* ({ order_id, rules }) {
        return { order_id, rules: yield* destinations.set(yield* Caller, order_id, destinationRules(rules)) }
      }, asTool)
    })
  })
)
