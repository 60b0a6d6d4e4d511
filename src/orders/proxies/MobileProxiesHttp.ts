import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import * as RateLimit from "../../platform/requests/RateLimit.ts"
import { MobileProxies } from "./MobileProxies.ts"
import { mobileSnapshotView } from "./MobileSnapshotView.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "mobile-proxies",
  Effect.fnUntraced(function* (handlers) {
    const proxies = yield* MobileProxies

    return handlers.handleAll({
      reset: Effect.fnUntraced(
        function* ({ params }) {
          const { user_id } = yield* Caller
          const { order, proxy } = yield* proxies.reset(user_id, params.order_id)
          return yield* mobileSnapshotView(order, proxy)
        },
        Effect.catchTag("RateLimited", ({ details }) => RateLimit.refuse(details.retry_after))
      ),
      credentials: Effect.fnUntraced(function* ({ params, payload }) {
        const { user_id } = yield* Caller
        const { order, proxy } = yield* proxies.setAccess(user_id, params.order_id, payload)
        return yield* mobileSnapshotView(order, proxy)
      }),
      signature: Effect.fnUntraced(function* ({ params, payload }) {
        const { user_id } = yield* Caller
        const { order, proxy } = yield* proxies.setSignature(user_id, params.order_id, payload.signature)
        return yield* mobileSnapshotView(order, proxy)
      }),
      tags: Effect.fnUntraced(function* ({ params, payload }) {
        const { user_id } = yield* Caller
        return yield* proxies.setTags(user_id, params.order_id, payload.tags)
      }),
      release: Effect.fnUntraced(function* ({ params }) {
        const { user_id } = yield* Caller
        return yield* proxies.release(user_id, params.order_id)
      }),
      signatures: () => Effect.succeed(proxies.signatures)
    })
  })
)
