import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { Caller } from "../Caller.ts"
import { CredentialChanges } from "../CredentialChanges.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "api-keys",
  Effect.fnUntraced(function* (handlers) {
    const apiKeys = yield* ApiKeys
    const changes = yield* CredentialChanges

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const { apiKey, key } = yield* apiKeys.createBy(yield* Caller, payload)
        return { ...apiKey, key }
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const { user_id } = yield* Caller
        return { ...(yield* apiKeys.list(user_id, query)), ...query }
      }),
      revoke: Effect.fnUntraced(function* ({ params }) {
        yield* apiKeys.revoke((yield* Caller).user_id, params.key_id)
        yield* changes.caughtUp
      })
    })
  })
)
