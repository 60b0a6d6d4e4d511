import { Effect } from "effect"
import type { HttpRouter, HttpServerResponse } from "effect/http"
import * as AnswerHeaders from "./AnswerHeaders.ts"

/**
 * Allows pages of any origin to call the API and the endpoints of OAuth clients and agents, because a client can run in
 * a browser. These endpoints read no cookies, so a page can do no more than any other client. Pages may read every header
 * of an answer: `*` stands for all of them in requests without cookies (the Fetch standard).
 */
export const shared = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" }

/** Request headers for credentials and protocols. Effect's own client adds `b3` and `traceparent`. */
const accepted =
  "Accept-Language, Authorization, B3, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Traceparent, X-API-Key, X-Request-Id"

/** Headers that tell a browser which methods and headers a page may send. */
export const preflight = (methods: ReadonlyArray<string>) => ({
  ...shared,
  // Browsers always allow HEAD.
  "access-control-allow-methods": methods.filter((method) => method !== "HEAD").join(", "),
  "access-control-allow-headers": accepted,
  "access-control-max-age": "7200"
})

/** Adds the headers to every response, including refusals and failures. */
export const share = AnswerHeaders.set(shared)

/** Adds a route that pages of any origin may call. */
export const add = <R>(
  router: HttpRouter.HttpRouter,
  method: "GET" | "POST",
  path: HttpRouter.PathInput,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
) => router.add(method, path, Effect.andThen(share, handler))
