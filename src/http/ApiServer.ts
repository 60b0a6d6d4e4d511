import { Clock, type Config, Context, Effect, Exit, Fiber, Layer, LogLevel, References, type Scope } from "effect"
import { FindMyWay, HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { ServerResponse } from "node:http"
import * as FormText from "../platform/fields/FormText.ts"
import { AnswerHeaders } from "../platform/requests/AnswerHeaders.ts"
import { loggedUrl } from "../platform/requests/LoggedUrl.ts"
import type { ReadyAnswers } from "../platform/requests/ReadyAnswers.ts"
import { RequestId } from "../platform/requests/RequestId.ts"
import type * as ApiAnswer from "./ApiAnswer.ts"
import { type Answering, ApiListener } from "./ApiListener.ts"
import * as ApiOperation from "./ApiOperation.ts"
import { ApiRequest, drain } from "./ApiRequest.ts"
import * as Metrics from "./Metrics.ts"
import * as RequestBoundary from "./RequestBoundary.ts"
import * as WriteReadyAnswer from "./WriteReadyAnswer.ts"

/** The handlers of a group, as `HttpApiBuilder.group` keeps them. */
interface GroupHandlers {
  readonly handlers: ReadonlyMap<string, ApiOperation.Handler>
}

interface Contract {
  readonly groups: ReadonlyArray<HttpApiGroup.Top>
  readonly annotations: Context.Context<never>
}

/** Compiles every operation of an API. */
const compileAll = ({ annotations, groups }: Contract, services: Context.Context<never>) => {
  const operations = FindMyWay.make<ApiOperation.ApiOperation>()
  for (const group of groups) {
    const { handlers } = Context.getUnsafe(services, Context.Service<GroupHandlers>(group.key))
    for (const handler of handlers.values()) {
      const { method, path } = handler.endpoint
      operations.on(
        method,
        path as FindMyWay.PathInput,
        ApiOperation.compile(handler, { group, services, annotations })
      )
    }
  }
  return operations
}

type Headers = Readonly<Record<string, string>>

/** Writes an answer: its own headers, then those that were added to it, then those of every answer. */
const write = (
  request: ApiRequest,
  { body, headers, status }: ApiAnswer.ApiAnswer,
  added: ReadonlyMap<string, string>,
  always: Headers
) => {
  const { response, source } = request
  if (response.destroyed) return
  const head: Array<string> = []
  for (const name in headers) if (name !== "content-length" && !added.has(name)) head.push(name, headers[name] ?? "")
  for (const [name, value] of added) head.push(name, value)
  for (const name in always) head.push(name, always[name] ?? "")
  if (headers["cache-control"] === undefined) head.push("cache-control", RequestBoundary.cacheControl)
  const isBodiless = status === 204 || status === 304
  if (!isBodiless) head.push("content-length", String(body === undefined ? 0 : Buffer.byteLength(body)))
  response.writeHead(status, head)
  response.end(body)
  if (!source.complete) drain(source)
}

const makerKey = Symbol("maker")

interface MadeResponse extends ServerResponse {
  /** The fiber that makes the response. */
  [makerKey]?: Fiber.Fiber<unknown, unknown>
}

/**
 * Listens for the close of every response. A closure for each response keeps finished requests in V8's memory until a
 * full collection.
 */
function interruptMaker(this: MadeResponse) {
  if (!this.writableEnded) this[makerKey]?.interruptUnsafe()
}

/** Interrupts the fiber that makes a response when the client goes away. */
const interruptWithClient = (response: MadeResponse, fiber: Fiber.Fiber<unknown, unknown>) => {
  response[makerKey] = fiber
  response.on("close", interruptMaker)
}

/** Makes the function that answers the requests of an API. Requests run in `scope`. */
const makeAnswering = Effect.fnUntraced(function* (contract: Contract, scope: Scope.Scope) {
  const services = yield* Effect.context<never>()
  const headersOf = yield* RequestBoundary.makeHeaders
  const operations = compileAll(contract, services)
  const clock = yield* Clock.Clock
  const writeReadyAnswer = yield* WriteReadyAnswer.make
  const annotations = yield* References.CurrentLogAnnotations
  const isLogged = LogLevel.isGreaterThanOrEqualTo("Debug", yield* References.MinimumLogLevel)

  const answering: Answering = (source, response, waitsForContinue) => {
    if (writeReadyAnswer(source, response)) return true
    const { method = "GET", url = "/" } = source
    // Checked before the query is parsed. The routes refuse it.
    if (FormText.holdsTooMany(url)) return false
    const found = operations.find(method, url)
    if (found === undefined) return false
    const startedAt = clock.currentTimeMillisUnsafe()
    const { handler: operation, params, searchParams: search } = found
    const request = new ApiRequest(source, response, { params, search, waitsForContinue })
    const request_id = RequestBoundary.requestIdOf(request.headers["x-request-id"])
    const added = new Map([["x-request-id", request_id]])
    const context = services.pipe(
      Context.add(HttpServerRequest.HttpServerRequest, request),
      Context.add(RequestId, request_id),
      Context.add(AnswerHeaders, added),
      Context.add(References.CurrentLogAnnotations, { ...annotations, request_id })
    )
    const fiber = Fiber.runIn(Effect.runForkWith(context)(operation), scope)
    const finish = (exit: Exit.Exit<ApiAnswer.ApiAnswer>) => {
      // The client has gone, or the server stops.
      if (Exit.isFailure(exit)) return void source.socket.destroy()
      try {
        write(request, exit.value, added, headersOf(url, exit.value.status))
      } catch (defect) {
        // Node refuses a header. A throw here would end the process.
        source.socket.destroy()
        return void Effect.runForkWith(context)(Effect.logError("Cannot write an answer", defect))
      }
      Metrics.answered(services, method, exit.value.status, clock.currentTimeMillisUnsafe() - startedAt)
      if (isLogged) Effect.runForkWith(context)(Effect.logDebug(`${method} ${loggedUrl(url)} ${exit.value.status}`))
    }
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) finish(exit)
    else {
      fiber.addObserver(finish)
      interruptWithClient(response, fiber)
    }
    return true
  }
  return answering
})

/**
 * Answers the operations of an API in Node's own listener, without the framework's router, request and response objects
 * (docs/architecture.md, "One request step by step"). The contract and the handlers are those of `HttpApiBuilder`.
 */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): Layer.Layer<
  never,
  Config.ConfigError,
  | HttpRouter.HttpRouter
  | ApiListener
  | ReadyAnswers
  | HttpApiGroup.ToService<Id, Groups>
  | HttpApiEndpoint.Middleware<HttpApiGroup.Endpoints<Groups>>
> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const groups = Object.values(api.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>
      const listener = yield* ApiListener
      const router = yield* HttpRouter.HttpRouter
      // The router answers other methods of these paths. The listener leaves to these routes only requests with too many
      // query parameters.
      const operations = groups.flatMap(({ endpoints }) => Object.values(endpoints))
      yield* router.addAll(
        operations.map(({ method, path }) =>
          HttpRouter.route(method, path as HttpRouter.PathInput, RequestBoundary.unanswered)
        )
      )
      yield* listener.answerWith(yield* makeAnswering({ groups, annotations: api.annotations }, yield* Effect.scope))
    })
  )
