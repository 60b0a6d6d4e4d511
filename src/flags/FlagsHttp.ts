import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { Flags } from "./Flags.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "flags",
  Effect.fnUntraced(function* (handlers) {
    const flags = yield* Flags

    return handlers.handleAll({
      getFlags: Effect.fnUntraced(function* () {
        const { user_id } = yield* Caller
        return { flags: yield* flags.all(user_id) }
      })
    })
  })
)
