import { type ByteSize, Cause, Context, Effect, Exit, Option, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApi, HttpApiBuilder, type HttpApiEndpoint, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { faultsAt, mostFaults } from "../platform/errors/Faults.ts"
import { type Fault, RequestInvalid } from "../platform/errors/RequestInvalid.ts"
import { LongBody } from "../platform/requests/LongBody.ts"
import * as ApiAnswer from "./ApiAnswer.ts"
import type { ApiRequest } from "./ApiRequest.ts"
import * as RequestBoundary from "./RequestBoundary.ts"
import { BodyTooLarge, unsupportedMediaType } from "./RequestValidation.ts"

/** The handler of an operation, as `HttpApiBuilder.group` keeps it. */
export interface Handler {
  readonly endpoint: HttpApiEndpoint.Top
  readonly handler: (input: object) => Effect.Effect<unknown, unknown, unknown>
  readonly isRaw: boolean
  readonly uninterruptible: boolean
}

type Handled = Effect.Effect<unknown, unknown, unknown>

/** Finds the faults of one part of a request; the decoded value goes into `input`. */
type Part = (input: Record<string, unknown>, value: unknown) => ReadonlyArray<Fault>

const fits: ReadonlyArray<Fault> = []

const partOf = (field: string, place: string, schema: Schema.Top | undefined): Part => {
  if (schema === undefined) return () => fits
  const decode = Schema.decodeUnknownExit(schema as Schema.Codec<unknown>, { errors: "all" })
  return (input, value) => {
    const exit = decode(value)
    if (Exit.isFailure(exit)) return faultsAt(place, Option.getOrThrow(Exit.findErrorOption(exit)).issue)
    input[field] = exit.value
    return fits
  }
}

const malformedJson: Fault = { loc: ["body"], msg: "The body is not valid JSON", type: "json_invalid" }

/** The body of an operation that reads one. */
const bodyOf = (name: string, { payload }: HttpApiEndpoint.Top) => {
  if (payload.size === 0) return undefined
  const content = payload.get("application/json")
  if (payload.size > 1 || content?.encoding._tag !== "Json")
    throw new Error(`${name}: an operation of the API reads JSON only`)
  const part = partOf("payload", "body", Schema.Union(content.schemas))
  // An absent body is `undefined` if the operation accepts that; else it is refused with the faults of `null`.
  return (input: Record<string, unknown>, text: string) => {
    if (text === "") return part(input, undefined).length === 0 ? fits : part(input, null)
    try {
      return part(input, JSON.parse(text))
    } catch {
      return [malformedJson]
    }
  }
}

const isJson = ({ headers }: ApiRequest) => {
  const type = headers["content-type"]
  return type === undefined || type.split(";", 1)[0]?.trim().toLowerCase() === "application/json"
}

const requestOf = Effect.map(HttpServerRequest.HttpServerRequest, (request) => request as ApiRequest)

const refuse = (faults: ReadonlyArray<Fault>) =>
  Effect.fail(new RequestInvalid({ detail: faults.slice(0, mostFaults) }))

const tooLong = (most: ByteSize.ByteSize) => ({
  detail: `The body is larger than ${Number(most) / 1024 / 1024} MiB or could not be read`
})

/** Decodes a request in full, so that a refusal lists the faults of all its parts, and calls the handler. */
const decoded = (group: HttpApiGroup.Top, { endpoint, handler, isRaw }: Handler, name: string): Handled => {
  const params = partOf("params", "path", endpoint.params)
  const headers = partOf("headers", "header", endpoint.headers)
  const query = partOf("query", "query", endpoint.query && Schema.toCodecArrayFromSingle(endpoint.query))
  const body = isRaw ? undefined : bodyOf(name, endpoint)
  const longBody = Context.get(endpoint.annotations, LongBody)

  return Effect.flatMap(requestOf, (request) => {
    const input = { request, endpoint, group }
    const faults = [
      ...params(input, request.params),
      ...headers(input, request.headers),
      ...query(input, request.search)
    ]
    if (body === undefined) return faults.length === 0 ? handler(input) : refuse(faults)
    if (longBody !== undefined) request.mostBytes = Number(longBody)
    if (!isJson(request)) return faults.length === 0 ? Effect.succeed(unsupportedMediaType) : refuse(faults)
    return Effect.flatMap(
      Effect.mapError(request.text, () => new BodyTooLarge(longBody === undefined ? {} : tooLong(longBody))),
      (text) => {
        const all = [...faults, ...body(input, text)]
        return all.length === 0 ? handler(input) : refuse(all)
      }
    )
  })
}

/** A failure of the handler, which no other scheme of a security middleware may catch. */
class HandlerFailure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

type Wrap = (handled: Handled, about: { endpoint: HttpApiEndpoint.Top; group: HttpApiGroup.Top }) => Handled

/** Tries the schemes of a security middleware in their order, until one accepts the request. */
const secured =
  (key: HttpApiMiddleware.AnyServiceSecurity, schemes: Record<string, Wrap>): Wrap =>
  (handled, about) => {
    const marked = Effect.mapError(handled, (error) => new HandlerFailure(error))
    const tries = Object.entries(key.security).map(([scheme, security]): Handled =>
      Effect.flatMap(HttpApiBuilder.securityDecode(security), (credential) =>
        schemes[scheme]!(marked, { ...about, credential } as never)
      )
    )
    const tried = tries.reduce((before, next) =>
      Effect.catch(before, (error) => (error instanceof HandlerFailure ? Effect.fail(error) : next))
    )
    return Effect.mapError(tried, (error) => (error instanceof HandlerFailure ? error.error : error))
  }

const wrapOf = (key: HttpApiMiddleware.AnyService, services: Context.Context<never>): Wrap => {
  const service = Context.getUnsafe(services, key as Context.Key<unknown, unknown>)
  return HttpApiMiddleware.isSecurity(key) ? secured(key, service as Record<string, Wrap>) : (service as Wrap)
}

const parseOptions = [
  HttpApi.ParseOptions,
  HttpApi.ParamsParseOptions,
  HttpApi.QueryParseOptions,
  HttpApi.HeadersParseOptions,
  HttpApi.PayloadParseOptions,
  HttpApi.SuccessParseOptions,
  HttpApi.ErrorParseOptions
]

/** A path whose parameters are whole segments, but for a suffix such as `.csv`. */
const plainPath = /^(\/(:\w+(\.\w+)?|[^:/]*))*$/

/** Refuses what the contract of an operation can express and this module does not serve. */
const check = (name: string, { path }: HttpApiEndpoint.Top, annotations: ReadonlyArray<Context.Context<never>>) => {
  if (!plainPath.test(path)) throw new Error(`${name}: an operation of the API has whole segments as parameters`)
  const mapped = annotations.some(({ mapUnsafe }) => parseOptions.some(({ key }) => mapUnsafe.has(key)))
  if (mapped) throw new Error(`${name}: an operation of the API has no parse options`)
}

/** An operation that is ready to run. It reads `ApiRequest` as `HttpServerRequest` from the context of its fiber. */
export type ApiOperation = Effect.Effect<ApiAnswer.ApiAnswer>

interface Surroundings {
  readonly group: HttpApiGroup.Top
  readonly services: Context.Context<never>
  /** The annotations of the whole API. */
  readonly annotations: Context.Context<never>
}

/**
 * Compiles an operation: finds the caller, decodes the request, calls the handler and encodes what it returns. A finalizer
 * that the handler adds runs before the answer is written.
 */
export const compile = (handler: Handler, { annotations, group, services }: Surroundings): ApiOperation => {
  const { endpoint } = handler
  const name = `${group.identifier}.${endpoint.identifier}`
  check(name, endpoint, [annotations, group.annotations, endpoint.annotations])
  const encode = ApiAnswer.successes(name, endpoint)
  const encodeFailure = ApiAnswer.failures(name, endpoint)

  let handled = decoded(group, handler, name)
  for (const key of endpoint.middlewares) handled = wrapOf(key as never, services)(handled, { endpoint, group })
  const answered = Effect.matchCauseEffect(handler.uninterruptible ? Effect.uninterruptible(handled) : handled, {
    onSuccess: (value) => Effect.sync(() => encode(value)),
    onFailure: (cause) => {
      const error = Cause.findErrorOption(cause)
      if (Option.isNone(error)) return Effect.failCause(cause as Cause.Cause<never>)
      return Option.match(encodeFailure(error.value), { onNone: () => Effect.die(error.value), onSome: Effect.succeed })
    }
  })
  return Effect.catchDefect(Effect.scoped(answered), (defect) =>
    Effect.map(RequestBoundary.answerDefect(defect), encode)
  ) as ApiOperation
}
