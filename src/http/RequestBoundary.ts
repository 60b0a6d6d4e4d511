import { Clock, Effect, Layer } from "effect"
import {
  HttpEffect,
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { randomUUID } from "node:crypto"
import { PublicUrl } from "../platform/settings/Addresses.ts"
import { isAdminPath } from "../platform/requests/AdminPath.ts"
import * as Cors from "../platform/requests/Cors.ts"
import { bodyLimit } from "../platform/requests/BodyLimit.ts"
import { loggedUrl } from "../platform/requests/LoggedUrl.ts"
import { errorAnswer } from "../platform/errors/ErrorAnswer.ts"
import * as FormText from "../platform/fields/FormText.ts"
import * as RequestDefect from "../platform/errors/RequestDefect.ts"
import { AnswerHeaders } from "../platform/requests/AnswerHeaders.ts"
import { RequestId } from "../platform/requests/RequestId.ts"
import * as Metrics from "./Metrics.ts"
import * as OtherMethods from "./OtherMethods.ts"
import { BodyTooLarge, unsupportedMediaType } from "./RequestValidation.ts"

const sane = /^[\w.~:+/=-]{1,128}$/

/** Responses to requests that ended in a defect, by status. */
const defectAnswers = (requestId: string) => ({
  413: errorAnswer(new BodyTooLarge()),
  500: errorAnswer({
    status: 500,
    code: "INTERNAL_ERROR",
    detail: RequestDefect.details[500],
    details: { request_id: requestId }
  }),
  503: errorAnswer({
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    detail: RequestDefect.details[503]
  })
})

/** Replaces the framework's own refusal, which has no documented body. */
const documented = (response: HttpServerResponse.HttpServerResponse) =>
  response.status === 415 ? unsupportedMediaType : response

/** The client's request id when it is well-formed, else a new one. */
export const requestIdOf = (given: string | undefined) =>
  given !== undefined && sane.test(given) ? given : randomUUID()

export const answerDefect = Effect.fnUntraced(function* (defect: unknown) {
  return defectAnswers(yield* RequestId)[yield* RequestDefect.statusOf(defect)]
})

/**
 * Keeps answers of the API out of every cache, because they are for one caller. Answers for everybody, such as the catalog,
 * have their own header.
 */
export const cacheControl = "private, no-store"

const isApi = /^\/+v1(?:[/?]|$)/i

/** Returns the headers of every response. Pages may read responses of the API, and a 401 names its scheme (RFC 6750, section 3). */
export const makeHeaders = Effect.map(PublicUrl, (publicUrl) => {
  const always = publicUrl.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {}
  const api = { ...always, ...Cors.shared }
  const challenge = { "www-authenticate": "Bearer" }
  const unauthorized = { ...api, ...challenge }
  return (url: string, status: number): Readonly<Record<string, string>> => {
    if (!isApi.test(url)) return always
    if (isAdminPath(url)) return status === 401 ? { ...always, ...challenge } : always
    return status === 401 ? unauthorized : api
  }
})

/** Refuses a URL whose query is too long to be parsed. */
const tooManyParameters = errorAnswer({
  status: 414,
  code: "BAD_REQUEST",
  detail: `Send at most ${FormText.mostFields} query parameters`
})

/** Answers a request for an operation that `ApiServer` left to the router. It leaves only those with too many parameters. */
export const unanswered = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
  FormText.holdsTooMany(url)
    ? Effect.succeed(tooManyParameters)
    : Effect.die(new Error("The listener of the API did not answer its operation"))
)

/** Replaces a request's body with one that fails to read where it is longer than the limit of its reader. */
const unread = (request: HttpServerRequest.HttpServerRequest, bytes: number): HttpServerRequest.HttpServerRequest => {
  const reason = new HttpServerError.RequestParseError({ request, description: "The body is too large" })
  const refused = Effect.fail(new HttpServerError.HttpServerError({ reason }))
  const bounded = <A>(read: Effect.Effect<A, HttpServerError.HttpServerError>) => ({
    value: Effect.flatMap(HttpIncomingMessage.MaxBodySize, (most) => (bytes > Number(most) ? refused : read))
  })
  return Object.create(request, { text: bounded(request.text), arrayBuffer: bounded(request.arrayBuffer) })
}

/**
 * Refuses too many query parameters before parsing them, and a body with a too large `Content-Length` before reading
 * it. The server cuts any other body off at the limit.
 */
const bounded = <E, R>(response: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    if (FormText.holdsTooMany(request.url)) return Effect.succeed(tooManyParameters)
    const bytes = Number(request.headers["content-length"] ?? 0)
    return bytes > Number(bodyLimit)
      ? Effect.provideService(response, HttpServerRequest.HttpServerRequest, unread(request, bytes))
      : response
  })

/** Adds the request id to every response, counts the response, and gives every defect a documented body. */
const boundary = HttpRouter.middleware(
  Effect.map(makeHeaders, (headersOf) => {
    return (response) => {
      const answered = bounded(response).pipe(Effect.catchDefect(answerDefect), Effect.map(documented))
      const requestId = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
        requestIdOf(headers["x-request-id"])
      )
      return Effect.flatMap(Effect.zip(requestId, Clock.currentTimeMillis), ([requestId, startedAt]) => {
        const added = new Map<string, string>()
        return answered.pipe(
          Effect.provideService(RequestId, requestId),
          Effect.provideService(AnswerHeaders, added),
          Effect.annotateLogs("request_id", requestId),
          HttpEffect.withPreResponseHandler((request, answer) =>
            Effect.gen(function* () {
              const now = yield* Clock.currentTimeMillis
              Metrics.answered(yield* Effect.context<never>(), request.method, answer.status, now - startedAt)
              yield* Effect.logDebug(`${request.method} ${loggedUrl(request.url)} ${answer.status}`)
              return HttpServerResponse.setHeaders(answer, {
                ...(isApi.test(request.url) && { "cache-control": cacheControl, ...answer.headers }),
                ...Object.fromEntries(added),
                ...headersOf(request.url, answer.status),
                "x-request-id": requestId
              })
            })
          )
        )
      })
    }
  }),
  { global: true }
)

const unknownRoutes = HttpRouter.add(
  "*",
  "/*",
  errorAnswer({ status: 404, code: "NOT_FOUND", detail: "There is no such operation; /docs lists all operations" })
)

/** Serves routes inside the boundary. The body limit is set once for the server, not for each request. */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  HttpRouter.serve(Layer.provide(Layer.mergeAll(routes, boundary, unknownRoutes), OtherMethods.layer), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, bodyLimit)))
