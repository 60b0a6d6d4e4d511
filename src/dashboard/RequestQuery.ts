import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"

/** The query of the request, as it came. */
export const text = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => url.split("?").slice(1).join("?"))

export const parameters = Effect.map(text, (text) => new URLSearchParams(text))
