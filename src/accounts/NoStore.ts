import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"

/** Keeps a response that holds a secret out of every cache. */
export const noStore = HttpEffect.appendPreResponseHandler((_request, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "cache-control", "no-store"))
)
