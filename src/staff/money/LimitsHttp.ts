import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import { LimitDesk } from "./LimitDesk.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminLimits",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* LimitDesk
    return handlers.handleAll({
      listLimits: Effect.fnUntraced(function* () {
        return { items: yield* desk.list(yield* Actor) }
      }),
      setLimit: ({ params, payload: { reason, ...amounts } }) =>
        Effect.flatMap(Actor, (actor) => desk.set(actor, params, amounts, reason)),
      removeLimit: ({ params, payload }) =>
        Effect.flatMap(Actor, (actor) => desk.set(actor, params, null, payload.reason))
    })
  })
)
