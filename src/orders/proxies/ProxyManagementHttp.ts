import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { credentialsView, releasedView, tagsView, whitelistView } from "./ManagedProxyView.ts"
import { destinationRules } from "./DestinationsView.ts"
import { ProxyDestinations } from "./ProxyDestinations.ts"
import { ProxyManagement } from "./ProxyManagement.ts"
import { ProxyRefusals } from "./ProxyRefusals.ts"
import { ProxyTests } from "./ProxyTests.ts"
import { proxyView, viewOf } from "./ProxyView.ts"
import { refusalsView } from "./RefusalsView.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "proxy-management",
  Effect.fnUntraced(function* (handlers) {
    const management = yield* ProxyManagement
    const destinations = yield* ProxyDestinations
    const refusals = yield* ProxyRefusals
    const tests = yield* ProxyTests

    return handlers.handleAll({
      setWhitelist: Effect.fnUntraced(function* ({ params, payload }) {
        const order = yield* management.setWhitelist(yield* Caller, params.order_id, payload.whitelisted_ips)
        return whitelistView(order)
      }),
      credentials: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* viewOf(yield* management.setAccess(yield* Caller, params.order_id, payload), credentialsView)
      }),
      setProtocol: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* proxyView(yield* management.setProtocol(yield* Caller, params.order_id, payload.protocol))
      }),
      tags: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* viewOf(yield* management.setTags(yield* Caller, params.order_id, payload.tags), tagsView)
      }),
      release: Effect.fnUntraced(function* ({ params }) {
        const order = yield* management.release(yield* Caller, params.order_id)
        return yield* viewOf({ order, proxy: undefined }, releasedView)
      }),
      sync: Effect.fnUntraced(function* ({ params }) {
        return yield* proxyView(yield* management.sync(yield* Caller, params.order_id))
      }),
      refusals: Effect.fnUntraced(function* ({ params }) {
        return refusalsView(params.order_id, yield* refusals.list((yield* Caller).user_id, params.order_id))
      }),
      destinations: Effect.fnUntraced(function* ({ params }) {
        const rules = yield* destinations.read((yield* Caller).user_id, params.order_id)
        return { order_id: params.order_id, rules }
      }),
      setDestinations: Effect.fnUntraced(function* ({ params, payload }) {
        const rules = yield* destinations.set(yield* Caller, params.order_id, destinationRules(payload.rules))
        return { order_id: params.order_id, rules }
      }),
      test: Effect.fnUntraced(function* ({ params }) {
        return yield* tests.run((yield* Caller).user_id, params.order_id)
      })
    })
  })
)
