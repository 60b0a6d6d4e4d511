import { Effect } from "effect"
import { Headers, HttpRouter, HttpServerRequest } from "effect/http"
import { Addresses } from "../platform/settings/Addresses.ts"
import { errorAnswer } from "../platform/errors/ErrorAnswer.ts"

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

const refused = errorAnswer({
  status: 403,
  code: "FORBIDDEN",
  detail: "This server does not answer under that name; call it at its own address"
})

/**
 * True when a page reached this server under the page's own host name (DNS rebinding), so that its requests count as
 * same-origin. A request across origins is harmless: the page must send its own credentials, like every client.
 */
const isRebound = ({ headers }: HttpServerRequest.HttpServerRequest, own: ReadonlySet<string>) => {
  const origin = URL.parse(headers["origin"] ?? "")
  if (origin === null || own.has(origin.host) || loopback.has(origin.hostname)) return false
  // Case and a default port make no difference.
  return URL.parse(`${origin.protocol}//${headers["host"]}`)?.host === origin.host
}

/** Refuses requests that come through DNS rebinding. Accepts every other origin. */
export const middleware = HttpRouter.middleware(
  Effect.map(Addresses, (addresses) => {
    const own = new Set(Object.values(addresses).map((address) => new URL(address).host))
    return (answer) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        if (request.headers["origin"] === undefined) return answer
        if (isRebound(request, own)) return Effect.succeed(refused)
        const without = request.modify({ headers: Headers.remove(request.headers, "origin") })
        return Effect.provideService(answer, HttpServerRequest.HttpServerRequest, without)
      })
  })
)
