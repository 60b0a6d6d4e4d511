import { Exit, Option, Predicate, Schema, SchemaAST } from "effect"
import { Cookies, HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, type HttpApiMiddleware, HttpApiSchema } from "effect/http-api"

/** An answer, ready to be written. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined for an answer without a body. */
  readonly body: string | Uint8Array | undefined
}

type Encode = (value: unknown) => Option.Option<unknown>

const none = {}
const json = { _tag: "Json", contentType: "application/json" } as const

const annotatedStatus = SchemaAST.resolveAt<number>("httpApiStatus")
const statusOf = (ast: SchemaAST.AST) =>
  annotatedStatus(ast) ?? (ast.context?.annotations?.["httpApiStatus"] as number | undefined)
const encodingOf = SchemaAST.resolveAt<HttpApiSchema.ResponseEncoding>("~httpApiEncoding")

const withHeadersOf = SchemaAST.resolveAt<object>("~httpApiWithHeaders")

const encoder = (schema: Schema.Top): Encode => {
  const encode = Schema.encodeUnknownExit(schema as Schema.Codec<unknown>)
  return (value) => Exit.getSuccess(encode(value))
}

/** One kind of answer that an operation declares. */
interface Kind {
  readonly status: number
  readonly isEmpty: boolean
  readonly isText: boolean
  readonly contentType: string
  /** True when a value equals its encoded form. An operation with one kind of answer then sends it without a check. */
  readonly isPlain: boolean
  readonly body: Encode
  /** Undefined when the answer has no headers of its own. */
  readonly headers: Encode | undefined
}

const kindOf = (name: string, schema: Schema.Top, otherwise: number): Kind => {
  const [body, headers] = HttpApiSchema.isWithHeaders(schema) ? [schema.schema, schema.headers] : [schema, undefined]
  const encoding = encodingOf(schema.ast) ?? encodingOf(body.ast) ?? json
  // The encoded form of a stream or an upgrade is a value of the framework.
  const isText = encoding._tag === "Text"
  if (!(isText || encoding._tag === "Json") || SchemaAST.isDeclaration(SchemaAST.toEncoded(body.ast)))
    throw new Error(`${name}: an operation of the API answers with JSON, with text, or with an empty body`)
  return {
    status: statusOf(schema.ast) ?? statusOf(body.ast) ?? otherwise,
    isEmpty: HttpApiSchema.isNoContent(body.ast),
    isText,
    contentType: encoding.contentType,
    isPlain: SchemaAST.toEncoded(body.ast) === body.ast,
    body: encoder(body),
    headers: headers && encoder(headers)
  }
}

const answerOf = (
  { contentType, isEmpty, isText, status }: Kind,
  body: unknown,
  headers: ApiAnswer["headers"]
): ApiAnswer =>
  isEmpty || body === undefined
    ? { status, headers, body: undefined }
    : {
        status,
        headers: { "content-type": contentType, ...headers },
        body: isText ? String(body) : JSON.stringify(body)
      }

/** An answer that the handler made itself. */
const ready = ({ body, cookies, headers, status }: HttpServerResponse.HttpServerResponse): ApiAnswer => {
  if (typeof status !== "number") throw new Error("A middleware of the API changes answers by AnswerHeaders only")
  if (!Cookies.isEmpty(cookies)) throw new Error("An operation of the API sets no cookies")
  if (body._tag === "Empty") return { status, headers, body: undefined }
  if (body._tag === "Uint8Array") return { status, headers, body: body.body }
  throw new Error(`An operation of the API cannot answer with a ${body._tag} body`)
}

const hasHeaders = (value: unknown): value is HttpApiSchema.withHeaders<unknown, unknown> =>
  Predicate.hasProperty(value, HttpApiSchema.WithHeadersValueTypeId)

/** Compiles the encoding of what an operation's handler returns. */
export const successes = (name: string, { success }: HttpApiEndpoint.Top) => {
  const schemas = success.size === 0 ? [HttpApiSchema.NoContent] : [...success]
  const kinds = schemas.map((schema) => kindOf(name, schema, 200))
  const [plain, headed] = [kinds.filter(({ headers }) => !headers), kinds.filter(({ headers }) => headers)]

  const encode = (body: unknown): ApiAnswer => {
    const [only] = plain
    if (plain.length === 1 && only?.isPlain) return answerOf(only, body, none)
    for (const kind of plain) {
      const encoded = kind.body(body)
      if (Option.isSome(encoded)) return answerOf(kind, encoded.value, none)
    }
    throw new Error(`${name}: the answer fits no schema of the operation`)
  }
  return (value: unknown): ApiAnswer => {
    if (HttpServerResponse.isHttpServerResponse(value)) return ready(value)
    if (!hasHeaders(value)) return encode(value)
    for (const kind of headed) {
      const headers = Option.getOrUndefined(kind.headers!(value.headers))
      if (headers === undefined) continue
      const body = headed.length === 1 && kind.isPlain ? Option.some(value.body) : kind.body(value.body)
      if (Option.isSome(body)) return answerOf(kind, body.value, headers as ApiAnswer["headers"])
    }
    throw new Error(`${name}: the answer with headers fits no schema of the operation`)
  }
}

/** Compiles the encoding of the failures of an operation and its middlewares; None for any other error. */
export const failures = (name: string, { error, middlewares }: HttpApiEndpoint.Top) => {
  const ofMiddlewares = [...middlewares].flatMap((key) => [...(key as unknown as HttpApiMiddleware.AnyService).error])
  const kinds = [...error, ...ofMiddlewares].map((schema) => {
    if (HttpApiSchema.isWithHeaders(schema) || withHeadersOf(schema.ast) !== undefined)
      throw new Error(
        `${name}: an operation of the API answers a failure without headers of its own; use AnswerHeaders`
      )
    return { is: Schema.is(schema), kind: kindOf(name, Schema.toCodecJson(schema), 500) }
  })
  return (failure: unknown): Option.Option<ApiAnswer> => {
    for (const { is, kind } of kinds) {
      if (!is(failure)) continue
      const encoded = kind.body(failure)
      if (Option.isSome(encoded)) return Option.some(answerOf(kind, encoded.value, none))
    }
    return Option.none()
  }
}
