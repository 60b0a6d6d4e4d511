import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"

/** The unchanged query of the request. */
export const text = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => url.split("?").slice(1).join("?"))

export const parameters = Effect.map(text, (text) => new URLSearchParams(text))
