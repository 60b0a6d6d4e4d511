import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { Caller } from "../Caller.ts"
import { Users } from "./Users.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "profile",
  Effect.fnUntraced(function* (handlers) {
    const users = yield* Users
    return handlers.handleAll({ me: () => Effect.flatMap(Caller, ({ user_id }) => users.get(user_id)) })
  })
)
