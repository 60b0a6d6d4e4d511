import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { oneKey, replayable } from "../../idempotency/IdempotencyKeyHttp.ts"
import { ProxyChanges } from "./ProxyChanges.ts"
import { Orders } from "../Orders.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "extensions",
  Effect.fnUntraced(function* (handlers) {
    const changes = yield* ProxyChanges
    const orders = yield* Orders

    return handlers.handleAll({
      extend: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const caller = yield* Caller
        const key = yield* oneKey(payload.idempotency_key, headers["idempotency-key"])
        const order = yield* orders.get(caller.user_id, params.order_id)
        return replayable(yield* changes.extend(caller, order, payload, key))
      }),
      bandwidth: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const caller = yield* Caller
        const key = yield* oneKey(payload.idempotency_key, headers["idempotency-key"])
        const order = yield* orders.get(caller.user_id, params.order_id)
        return replayable(yield* changes.addTraffic(caller, order, payload, key))
      }),
      autoRenew: Effect.fnUntraced(function* ({ params, payload }) {
        const caller = yield* Caller
        const order = yield* orders.get(caller.user_id, params.order_id)
        return yield* changes.setAutoRenew(caller, order, payload.enabled)
      })
    })
  })
)
