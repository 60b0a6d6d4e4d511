import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { StaffActions } from "../StaffActions.ts"
import { NewRule, RuleView } from "./DestinationRulesApi.ts"
import { RuleDesk } from "./RuleDesk.ts"

const encode = Schema.encodeSync(NewRule)

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminDestinationRules",
  Effect.fnUntraced(function* (handlers) {
    const actions = yield* StaffActions
    const desk = yield* RuleDesk
    return handlers.handleAll({
      listDestinationRules: ({ query }) => Effect.flatMap(Actor, (actor) => desk.list(actor, query)),
      placeDestinationRule: Effect.fnUntraced(function* ({ headers, payload }) {
        const actor = yield* Actor
        const placed = actions.once(
          {
            actor,
            key: headers["idempotency-key"],
            operation: "placeDestinationRule",
            content: encode(payload),
            answer: RuleView
          },
          desk.place(actor, payload)
        )
        return StaffActionApi.answer(yield* placed)
      }),
      removeDestinationRule: ({ params, payload }) =>
        Effect.flatMap(Actor, (actor) => desk.remove(actor, params.rule_id, payload.reason))
    })
  })
)
