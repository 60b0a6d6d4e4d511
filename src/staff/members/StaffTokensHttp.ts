import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import { StaffTokens } from "./StaffTokens.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminStaffTokens",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* StaffTokens

    return handlers.handleAll({
      listStaffTokens: ({ query }) => Effect.flatMap(Actor, (actor) => tokens.list(actor, query)),
      createStaffToken: Effect.fnUntraced(function* ({ payload }) {
        const actor = yield* Actor
        if (actor.staff_id === null)
          return yield* Effect.die(new Error("The admin API let in an actor without a person"))
        return yield* tokens.create(actor, actor.staff_id, payload)
      }),
      revokeStaffToken: ({ params }) => Effect.flatMap(Actor, (actor) => tokens.revoke(actor, params.token_id))
    })
  })
)
