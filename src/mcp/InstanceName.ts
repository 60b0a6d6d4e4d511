import { Config, Effect, Schema } from "effect"
import { Headers, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

const header = "mcp-session-id"

const Name = Schema.Trim.check(
  Schema.makeFilter((text) => /^[a-z0-9-]{1,32}$/.test(text) || "Expected 1 to 32 characters of a-z, 0-9 and -")
)

/** The prefix of this instance's session ids: `INSTANCE_NAME` and a dot, or nothing. */
const Prefix = Config.schema(Name, "INSTANCE_NAME").pipe(
  Config.map((name) => `${name}.`),
  Config.withDefault("")
)

/**
 * Adds the name of the instance to the ids of its sessions, because sessions live in this process: a load balancer sends
 * `a.0197...` to instance `a`. Inside the process the ids have no prefix.
 */
export const middleware = HttpRouter.middleware(
  Effect.map(Prefix, (prefix) => {
    if (prefix === "") return (answer) => answer
    const inner = (request: HttpServerRequest.HttpServerRequest) => {
      const id = request.headers[header]
      return id?.startsWith(prefix) === true
        ? request.modify({ headers: Headers.set(request.headers, header, id.slice(prefix.length)) })
        : request
    }
    const outer = (response: HttpServerResponse.HttpServerResponse) => {
      const id = response.headers[header]
      return id === undefined ? response : HttpServerResponse.setHeader(response, header, prefix + id)
    }
    return (answer) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.map(Effect.provideService(answer, HttpServerRequest.HttpServerRequest, inner(request)), outer)
      )
  })
)
