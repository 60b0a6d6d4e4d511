import { Effect } from "effect"
import { HttpEffect, type HttpRouter, HttpServerResponse } from "effect/http"

/**
 * Pages of any origin may call what API, OAuth clients and agents call (a client can live in a browser): nothing there
 * looks at a cookie, so a page gets no more than any other caller.
 */
export const shared = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Allow, ETag, Idempotency-Replayed, MCP-Protocol-Version, Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id"
}

/** Credentials and what the protocols need; Effect's own client adds `b3` and `traceparent`. */
const accepted =
  "Authorization, B3, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Traceparent, X-API-Key, X-Request-Id"

/** Tells a page's browser which methods and headers the page may send. */
export const preflight = (methods: ReadonlyArray<string>) => ({
  ...shared,
  // A page may always send HEAD.
  "access-control-allow-methods": methods.filter((method) => method !== "HEAD").join(", "),
  "access-control-allow-headers": accepted,
  "access-control-max-age": "7200"
})

/** On every answer, refusals and failures too. */
export const share = HttpEffect.appendPreResponseHandler((_request, response) =>
  Effect.succeed(HttpServerResponse.setHeaders(response, shared))
)

/** Adds a route that pages of any origin may call. */
export const add = <R>(
  router: HttpRouter.HttpRouter,
  method: "GET" | "POST",
  path: HttpRouter.PathInput,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
) => router.add(method, path, Effect.andThen(share, handler))
