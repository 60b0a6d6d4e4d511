import * as LoopbackServer from "./LoopbackServer.ts"
import { Effect, Layer } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, type HttpMethod } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import * as ApiServer from "../../src/http/ApiServer.ts"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import * as RequestValidation from "../../src/http/RequestValidation.ts"
import * as TestCallers from "./TestCallers.ts"
import * as TestCrypto from "./TestCrypto.ts"

/** `layerOf` with other middlewares than the stand-in callers. */
export const layerWith = <Id extends string, Groups extends HttpApiGroup.Constraint, A, E, R, B, E2, R2>(
  api: HttpApi.HttpApi<Id, Groups>,
  handlers: Layer.Layer<A, E, R>,
  callers: Layer.Layer<B, E2, R2>,
  crypto = TestCrypto.layer
) =>
  RequestBoundary.serve(
    ApiServer.layer(api).pipe(Layer.provide(handlers), Layer.provide([callers, RequestValidation.layer]))
  ).pipe(Layer.provideMerge(LoopbackServer.layer), Layer.provide(crypto))

/**
 * Some groups of the API on a real loopback server, with stand-in callers and an `HttpClient` that talks to it. The
 * answers are checked against the OpenAPI document. `handlers` are the layers of the groups; their other requirements
 * stay open.
 */
export const layerOf = <Id extends string, Groups extends HttpApiGroup.Constraint, A, E, R>(
  api: HttpApi.HttpApi<Id, Groups>,
  handlers: Layer.Layer<A, E, R>
) => layerWith(api, handlers, TestCallers.layer)

interface Options {
  /** A session of this user. */
  readonly user?: string
  /** An API key: `<user id>` or `<user id>;<scope>,<scope>`. */
  readonly key?: string
  readonly headers?: Record<string, string>
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown
}

const parsed = (text: string): any => {
  try {
    return text === "" ? null : JSON.parse(text)
  } catch {
    return text
  }
}

/** Sends one request. The answer's body is parsed JSON, or text if it is not JSON. */
export const request = Effect.fnUntraced(function* (
  method: HttpMethod.HttpMethod,
  path: string,
  options: Options = {}
) {
  const response = yield* HttpClient.execute(
    HttpClientRequest.make(method)(path).pipe(
      HttpClientRequest.setHeaders({
        ...(options.key === undefined ? {} : { "x-api-key": options.key }),
        ...(options.user === undefined ? {} : { authorization: `Bearer ${options.user}` }),
        ...options.headers
      }),
      (request) =>
        options.body === undefined
          ? request
          : HttpClientRequest.setBody(
              request,
              typeof options.body === "string"
                ? HttpBody.text(options.body, options.headers?.["content-type"] ?? "application/json")
                : HttpBody.jsonUnsafe(options.body)
            )
    )
  )
  const text = yield* response.text
  return { status: response.status, headers: response.headers, body: parsed(text) }
})
