import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RuleDesk } from "./RuleDesk.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminDestinationRules",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* RuleDesk
    return handlers.handleAll({
      listDestinationRules: ({ query }) => Effect.flatMap(Actor, (actor) => desk.list(actor, query)),
      placeDestinationRule: Effect.fnUntraced(function* ({ headers, payload }) {
        return StaffActionApi.answer(yield* desk.place(yield* Actor, headers["idempotency-key"], payload))
      }),
      removeDestinationRule: ({ params, payload }) =>
        Effect.flatMap(Actor, (actor) => desk.remove(actor, params.rule_id, payload.reason))
    })
  })
)
