import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { WebhookLog } from "./WebhookLog.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "webhook-log",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* WebhookLog

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ params, query }) {
        const { user_id } = yield* Caller
        const { limit, offset, status } = query
        const found = yield* log.list(user_id, params.endpoint_id, status, { limit, offset })
        return { ...found, limit, offset }
      }),
      find: ({ params }) => Effect.flatMap(Caller, ({ user_id }) => log.find({ owner: user_id, ...params })),
      redeliver: ({ params }) => Effect.flatMap(Caller, ({ user_id }) => log.redeliver({ owner: user_id, ...params }))
    })
  })
)
