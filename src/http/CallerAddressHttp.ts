import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { ClientAddress } from "../platform/requests/ClientAddress.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "caller-address",
  Effect.fnUntraced(function* (handlers) {
    const client = yield* ClientAddress

    return handlers.handleAll({
      get: Effect.fnUntraced(function* () {
        // A cache between a proxy and the service would answer with the address of another caller.
        return { ip: yield* client.current }
      })
    })
  })
)
