import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import * as ReadOrderDetails from "./ReadOrderDetails.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "order-details",
  Effect.fnUntraced(function* (handlers) {
    const readDetails = yield* ReadOrderDetails.make

    return handlers.handleAll({
      get: Effect.fnUntraced(function* ({ params }) {
        return yield* readDetails((yield* Caller).user_id, params.order_id)
      })
    })
  })
)
