import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { ClientAddress } from "../platform/requests/ClientAddress.ts"

const headers = { "cache-control": "no-store" }

/** Answers the address of the caller, without a limit of requests: all probes of proxies may come from one exit address. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const client = yield* ClientAddress
    yield* router.add(
      "GET",
      "/echo",
      Effect.map(client.current, (ip) => HttpServerResponse.jsonUnsafe({ ip }, { headers }))
    )
  })
)
