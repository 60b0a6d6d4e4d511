import { Config, Effect, Schema } from "effect"
import { Headers, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Worker } from "../platform/workers/Worker.ts"

/** The header that names the session of a request. */
export const header = "mcp-session-id"

const Name = Schema.Trim.check(
  Schema.makeFilter((text) => /^[a-z0-9-]{1,32}$/.test(text) || "Expected 1 to 32 characters of a-z, 0-9 and -")
)

/** The prefix of the session ids of an instance: `INSTANCE_NAME` and a dot, or nothing. */
const OfInstance = Config.schema(Name, "INSTANCE_NAME").pipe(
  Config.map((name) => `${name}.`),
  Config.withDefault("")
)

/** The prefix of the session ids of this process. A worker adds its number. */
const Prefix = Effect.gen(function* () {
  const ofInstance = yield* OfInstance
  const worker = yield* Worker
  return worker === undefined ? ofInstance : `${ofInstance}${worker.number}.`
})

/** Makes the function that finds the number of the worker that opened a session. */
export const workerOf = Effect.map(OfInstance, (ofInstance) => (id: string | ReadonlyArray<string> | undefined) => {
  if (typeof id !== "string" || !id.startsWith(ofInstance)) return undefined
  const [, number] = /^([1-9]\d?)\./.exec(id.slice(ofInstance.length)) ?? []
  return number === undefined ? undefined : Number(number)
})

/**
 * Adds the name of the instance and the number of the worker to the ids of their sessions, because sessions live in one
 * process: a load balancer sends `a.0197...` to instance `a`, and its workers send `a.2.0197...` to the second one. Inside
 * the process the ids have no prefix.
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
