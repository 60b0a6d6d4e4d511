import { Ajv2020, type AnySchemaObject, type ErrorObject } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { Effect } from "effect"
import { HttpEffect, HttpRouter, type HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { Api } from "../../src/Api.ts"
import { discrepancies } from "./Discrepancies.ts"

/** A request and its answer as they went over the wire. */
interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** The body that was sent, if the service read it. */
  readonly sent?: string
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/**
 * The OpenAPI document covers `/v1` only. It omits OAuth (`/oauth`), agent registration (`/agent`) and their metadata
 * (`/.well-known`), the tool server (`/mcp`, `/rpc`, `/llms.txt`), the pages (`APP_URL`, `/docs`), the operators'
 * routes (`/health`, `/metrics`) and the document itself (`/openapi.json`).
 */
const isDocumented = (url: string) => url.startsWith("/v1/")

/** The caller has hung up: the service sends nothing. */
const clientClosedRequest = 499

/** Refused before the service looks for the operation, like requests that Node itself refuses. */
const uriTooLong = 414

type Node = { readonly [key: string]: any }

/** Allows the documented members only. The published schema stays open, because answers may gain members later. */
const closed = (node: any): any => {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== "object" || node === null) return node
  const members = Object.fromEntries(Object.entries(node).map(([key, child]) => [key, closed(child)]))
  return node.type === "object" && "properties" in node ? { additionalProperties: false, ...members } : members
}

const document: Node = OpenApi.fromApi(Api)
const ajv = addFormats.default(new Ajv2020({ allErrors: true, strict: false, validateSchema: false }))
ajv.addSchema(document as AnySchemaObject, "open").addSchema(closed(document), "closed")
// The service trims blanks around an address.
ajv.addFormat("email", /^\s*[^\s@]+@[^\s@]+\s*$/)

const pointer = (...keys: ReadonlyArray<string>) =>
  keys.map((key) => `/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")

/** Paths without parameters come first: `/v1/orders/counts` is no order. */
const paths = Object.keys(document["paths"])
  .toSorted((one, other) => one.split("{").length - other.split("{").length)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]*")}$`) }))

const operationOf = ({ method, url }: Exchange) => {
  const pathname = url.split("?")[0] ?? ""
  const verb = method === "HEAD" ? "get" : method.toLowerCase()
  const found = paths.find(({ path, pattern }) => pattern.test(pathname) && verb in document["paths"][path])
  return found && { at: ["paths", found.path, verb], operation: document["paths"][found.path][verb] as Node }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const told = ({ instancePath, message, params }: ErrorObject) =>
  `${instancePath || "/"} ${message} ${JSON.stringify(params)}`

const faultsOfValue = (document: "open" | "closed", at: ReadonlyArray<string>, value: unknown) => {
  const validate = ajv.getSchema(`${document}#${pointer(...at)}`)
  if (validate === undefined) throw new Error(`No schema at ${at.join(" ")}`)
  return validate(value) === true ? [] : (validate.errors ?? []).map(told)
}

const faultsOfBody = (response: Node, at: ReadonlyArray<string>, { body, headers, method }: Exchange) => {
  if (method === "HEAD") return []
  if (response["content"] === undefined) return body === "" ? [] : [`a body where none is documented: ${body}`]
  const type = headers["content-type"]?.split(";")[0] ?? "none"
  if (!(type in response["content"])) return [`the content type ${type} is not documented`]
  return faultsOfValue("closed", [...at, "content", type, "schema"], parse(body)).map((fault) => `body ${fault}`)
}

const faultsOfHeaders = (response: Node, at: ReadonlyArray<string>, { headers }: Exchange) =>
  Object.entries<Node>(response["headers"] ?? {}).flatMap(([name, { required }]) => {
    if (headers[name] === undefined) return required === true ? [`the header ${name} is missing`] : []
    const faults = faultsOfValue("closed", [...at, "headers", name, "schema"], headers[name])
    return faults.map((fault) => `header ${name} ${fault}`)
  })

/** The document asks for no more than the service does: an accepted body fits the documented schema. */
const faultsOfRequest = (operation: Node, at: ReadonlyArray<string>, { sent, status }: Exchange) =>
  status >= 300 || sent === undefined || !("requestBody" in operation)
    ? []
    : faultsOfValue("open", [...at, "requestBody", "content", "application/json", "schema"], parse(sent)).map(
        (fault) => `accepted request body ${fault}`
      )

/**
 * The faults of an exchange against the OpenAPI document: the operation, the status, and the place as a JSON pointer.
 * Empty when the exchange fits, and for routes that the document omits.
 */
export const faultsOf = (exchange: Exchange): ReadonlyArray<string> => {
  const { method, status, url } = exchange
  if (!isDocumented(url) || status === clientClosedRequest || status === uriTooLong) return []
  const found = operationOf(exchange)
  if (found === undefined)
    return method === "OPTIONS" || [404, 405].includes(status)
      ? []
      : [`${method} ${url} ${status}: the operation is not documented`]
  const { at, operation } = found
  const response: Node | undefined = operation["responses"][status]
  const there = [...at, "responses", String(status)]
  const faults =
    response === undefined
      ? [`the status is not documented: ${exchange.body}`]
      : [
          ...faultsOfBody(response, there, exchange),
          ...faultsOfHeaders(response, there, exchange),
          ...faultsOfRequest(operation, at, exchange)
        ]
  return faults.map((fault) => `${operation["operationId"]} ${status}: ${fault}`)
}

const textOf = ({ body }: HttpServerResponse.HttpServerResponse) =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : body._tag === "Empty" ? "" : `a ${body._tag} body`

/**
 * Checks every answer of a server against the OpenAPI document. The test that caused a discrepancy fails at its end.
 */
export const layer = HttpRouter.middleware(
  (answer) =>
    Effect.onExit(answer, () =>
      // Runs last, so that it sees the final answer.
      HttpEffect.appendPreResponseHandler((request, response) =>
        Effect.gen(function* () {
          const isRead =
            response.status < 300 && request.headers["content-type"]?.startsWith("application/json") === true
          const sent = isRead ? yield* Effect.orDie(request.text) : undefined
          discrepancies.push(
            ...faultsOf({
              method: request.method,
              url: request.url,
              ...(sent !== undefined && { sent }),
              status: response.status,
              headers: response.headers,
              body: textOf(response)
            })
          )
          return response
        })
      )
    ),
  { global: true }
)
