import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { ApiError } from "../platform/errors/ApiError.ts"
import { faultsAt, mostFaults } from "../platform/errors/Faults.ts"
import { type Fault, RequestInvalid } from "../platform/errors/RequestInvalid.ts"

export class BodyTooLarge extends ApiError<BodyTooLarge>()("BodyTooLarge", {
  status: 413,
  detail: "The body is larger than 64 KiB or could not be read"
}) {}

/** Text of the response to a body of another content type. */
export const unsupportedMediaType = "Unsupported Content-Type; send application/json"

export class RequestValidation extends HttpApiMiddleware.Service<RequestValidation>()("app/http/RequestValidation", {
  error: [RequestInvalid, BodyTooLarge]
}) {}

const location = { Params: "path", Query: "query", Headers: "header", Payload: "body" } as const

type Decodable = Schema.ConstraintDecoder<unknown, unknown>

const decodeFaults = (place: string, schema: Decodable | undefined, input: unknown) =>
  schema === undefined
    ? Effect.succeed([])
    : Schema.decodeUnknownEffect(schema, { errors: "all" })(input).pipe(
        Effect.match({ onSuccess: () => [], onFailure: ({ issue }) => faultsAt(place, issue) })
      )

const decodeJson = Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))

const malformedJson: Fault = { loc: ["body"], msg: "The body is not valid JSON", type: "json_invalid" }

const bodyFaults = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  const schema = endpoint.payload.get("application/json")?.schemas[0]
  if (schema === undefined) return []
  const request = yield* HttpServerRequest.HttpServerRequest
  const text = yield* Effect.orDie(request.text)
  const body = yield* Effect.option(decodeJson(text === "" ? "null" : text))
  return Option.isNone(body) ? [malformedJson] : yield* decodeFaults("body", schema, body.value)
})

/**
 * Lists all faults of a request, up to a limit. The framework stops at the first invalid part, so this decodes the
 * request once more in full.
 */
const allFaults = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { params } = yield* HttpRouter.RouteContext
  const search = yield* HttpServerRequest.ParsedSearchParams
  const query = endpoint.query === undefined ? undefined : Schema.toCodecArrayFromSingle(endpoint.query)
  const faults = yield* Effect.all([
    decodeFaults("path", endpoint.params, params),
    decodeFaults("header", endpoint.headers, request.headers),
    decodeFaults("query", query, search),
    bodyFaults(endpoint)
  ])
  return faults.flat().slice(0, mostFaults)
})

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(RequestValidation, (error, { endpoint }) => {
  const { cause, kind } = error
  if (kind === "Body" || kind === "ResponseHeaders") return Effect.fail(error)
  return Effect.flatMap(allFaults(endpoint), (faults) =>
    Effect.fail(new RequestInvalid({ detail: faults.length === 0 ? faultsAt(location[kind], cause.issue) : faults }))
  )
})
