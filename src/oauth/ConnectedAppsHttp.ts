import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { ConnectedApps } from "./ConnectedApps.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "connections",
  Effect.fnUntraced(function* (handlers) {
    const connectedApps = yield* ConnectedApps

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { user_id } = yield* Caller
        const { apps, total } = yield* connectedApps.list(user_id, query)
        return { connections: apps, total, ...query }
      }),
      limit: ({ params, payload }) =>
        Effect.flatMap(Caller, ({ user_id }) =>
          connectedApps.setLimit(user_id, params.connection_id, payload.daily_spend_limit_usd)
        ),
      revoke: ({ params }) =>
        Effect.flatMap(Caller, ({ user_id }) => connectedApps.revoke(user_id, params.connection_id))
    })
  })
)
