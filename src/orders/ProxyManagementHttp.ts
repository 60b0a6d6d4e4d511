import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { managed } from "./ManagedProxy.ts"
import { snapshot } from "./MobileSnapshot.ts"
import { isMobileRotating } from "./Order.ts"
import { ProxyManagement } from "./ProxyManagement.ts"
import type { Synced } from "./ProxySync.ts"

const view = ({ order, proxy }: Synced) =>
  isMobileRotating(order) ? snapshot(order, proxy) : Effect.sync(() => managed(order, proxy?.used_gb ?? null))

export const layer = HttpApiBuilder.group(
  Api,
  "proxy-management",
  Effect.fnUntraced(function* (handlers) {
    const management = yield* ProxyManagement

    return handlers.handleAll({
      setWhitelist: Effect.fnUntraced(function* ({ params, payload }) {
        const { user_id } = yield* Caller
        const order = yield* management.setWhitelist(user_id, params.order_id, payload.whitelisted_ips)
        return Struct.pick(managed(order, null), [
          "order_id",
          "provider_proxy_id",
          "status",
          "expires_at",
          "whitelisted_ips"
        ])
      }),
      setProtocol: Effect.fnUntraced(function* ({ params, payload }) {
        const { user_id } = yield* Caller
        return yield* view(yield* management.setProtocol(user_id, params.order_id, payload.protocol))
      }),
      sync: Effect.fnUntraced(function* ({ params }) {
        const { user_id } = yield* Caller
        return yield* view(yield* management.sync(user_id, params.order_id))
      })
    })
  })
)
