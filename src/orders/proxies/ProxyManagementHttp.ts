import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { whitelistView } from "./ManagedProxyView.ts"
import { ProxyManagement } from "./ProxyManagement.ts"
import { proxyView } from "./ProxyView.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "proxy-management",
  Effect.fnUntraced(function* (handlers) {
    const management = yield* ProxyManagement

    return handlers.handleAll({
      setWhitelist: Effect.fnUntraced(function* ({ params, payload }) {
        const { user_id } = yield* Caller
        const order = yield* management.setWhitelist(user_id, params.order_id, payload.whitelisted_ips)
        return whitelistView(order)
      }),
      setProtocol: Effect.fnUntraced(function* ({ params, payload }) {
        const { user_id } = yield* Caller
        return yield* proxyView(yield* management.setProtocol(user_id, params.order_id, payload.protocol))
      }),
      sync: Effect.fnUntraced(function* ({ params }) {
        const { user_id } = yield* Caller
        return yield* proxyView(yield* management.sync(user_id, params.order_id))
      })
    })
  })
)
