import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import { AbuseDesk } from "./AbuseDesk.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminAbuse",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* AbuseDesk
    return handlers.handleAll({
      listAbuseLookUps: ({ query }) => Effect.flatMap(Actor, (actor) => desk.list(actor, query)),
      lookUpAbuse: ({ payload: { case_number, reason, ...complaint } }) =>
        Effect.flatMap(Actor, (actor) => desk.lookUp(actor, { ...complaint, reason: `${case_number}: ${reason}` }))
    })
  })
)
