import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { Users } from "../accounts/users/Users.ts"
import { Flags } from "../flags/Flags.ts"
import { AccountTools } from "./AccountTools.ts"
import { asTool } from "./ToolFailure.ts"

export const layer = AccountTools.toLayer(
  Effect.gen(function* () {
    const flags = yield* Flags
    const users = yield* Users

    return AccountTools.of({
      get_my_account: Effect.fnUntraced(function* () {
        return yield* users.get((yield* Caller).user_id)
      }, asTool),
      list_flags: Effect.fnUntraced(function* () {
        return { flags: yield* flags.all((yield* Caller).user_id) }
      })
    })
  })
)
