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
          const { order, proxy } = yield* proxies.reset(yield* Caller, params.order_id)
          return yield* mobileSnapshotView(order, proxy)
        },
        Effect.catchTag("RateLimited", ({ details }) => RateLimit.refuse(details.retry_after))
      ),
      signature: Effect.fnUntraced(function* ({ params, payload }) {
        const { order, proxy } = yield* proxies.setSignature(yield* Caller, params.order_id, payload.signature)
        return yield* mobileSnapshotView(order, proxy)
      }),
      signatures: () => Effect.succeed(proxies.signatures)
    })
  })
)
