import { Ajv2020, type AnySchemaObject, type ErrorObject } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { OpenApi } from "effect/http-api"
import type { Server } from "node:http"
import { AdminApi } from "../../src/AdminApi.ts"
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
 * The OpenAPI documents cover `/v1` only; `/v1/admin` has one of its own. They omit OAuth (`/oauth`), agent registration (`/agent`) and their metadata
 * (`/.well-known`), the tool server (`/mcp`, `/rpc`, `/llms.txt`), the pages (`APP_URL`, `/docs`), the operators'
 * routes (`/health`, `/metrics`) and the document itself (`/openapi.json`).
 */
const isDocumented = (url: string) => url.startsWith("/v1/")
/** Which of the two documents describes an operation. */
const documentOf = (url: string) => (url.startsWith("/v1/admin/") ? "admin" : "public")

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

const documents: Record<"admin" | "public", Node> = { admin: OpenApi.fromApi(AdminApi), public: OpenApi.fromApi(Api) }
const ajv = addFormats.default(new Ajv2020({ allErrors: true, strict: false, validateSchema: false }))
for (const [name, document] of Object.entries(documents))
  ajv.addSchema(document as AnySchemaObject, `${name}-open`).addSchema(closed(document), `${name}-closed`)
// The service trims blanks around an address.
ajv.addFormat("email", /^\s*[^\s@]+@[^\s@]+\s*$/)

const pointer = (...keys: ReadonlyArray<string>) =>
  keys.map((key) => `/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")

/** Paths without parameters come first: `/v1/orders/counts` is no order. */
const pathsOf = (document: Node) =>
  Object.keys(document["paths"])
    .toSorted((one, other) => one.split("{").length - other.split("{").length)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]*")}$`) }))
const paths = { admin: pathsOf(documents.admin), public: pathsOf(documents.public) }

const operationOf = ({ method, url }: Exchange) => {
  const pathname = url.split("?")[0] ?? ""
  const verb = method === "HEAD" ? "get" : method.toLowerCase()
  const name = documentOf(url)
  const operations = documents[name]["paths"]
  const found = paths[name].find(({ path, pattern }) => pattern.test(pathname) && verb in operations[path])
  return found && { at: [name, "paths", found.path, verb], operation: operations[found.path][verb] as Node }
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

/** `place` begins with the name of the document. */
const faultsOfValue = (kind: "open" | "closed", place: ReadonlyArray<string>, value: unknown) => {
  const [name = "", ...at] = place
  const validate = ajv.getSchema(`${name}-${kind}#${pointer(...at)}`)
  if (validate === undefined) throw new Error(`No schema at ${at.join(" ")}`)
  return validate(value) === true ? [] : (validate.errors ?? []).map(told)
}

const faultsOfBody = (response: Node, at: ReadonlyArray<string>, { body, headers, method }: Exchange) => {
  if (method === "HEAD") return []
  if (response["content"] === undefined) return body === "" ? [] : [`a body where none is documented: ${body}`]
  const type = headers["content-type"]?.split(";")[0] ?? "none"
  if (!(type in response["content"])) return [`the content type ${type} is not documented`]
  const value = type === "application/json" ? parse(body) : body
  return faultsOfValue("closed", [...at, "content", type, "schema"], value).map((fault) => `body ${fault}`)
}

const faultsOfHeaders = (response: Node, at: ReadonlyArray<string>, { headers }: Exchange) =>
  Object.entries<Node>(response["headers"] ?? {}).flatMap(([name, { required }]) => {
    if (headers[name] === undefined) return required === true ? [`the header ${name} is missing`] : []
    const faults = faultsOfValue("closed", [...at, "headers", name, "schema"], headers[name])
    return faults.map((fault) => `header ${name} ${fault}`)
  })

/** No cache keeps an answer for one caller. Answers for everybody have a documented header of their own. */
const faultsOfCaching = (response: Node, { headers }: Exchange) =>
  "cache-control" in (response["headers"] ?? {}) || headers["cache-control"] === "private, no-store"
    ? []
    : [`caches may keep the answer: Cache-Control is ${headers["cache-control"]}`]

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
          ...faultsOfCaching(response, exchange),
          ...faultsOfRequest(operation, at, exchange)
        ]
  return faults.map((fault) => `${operation["operationId"]} ${status}: ${fault}`)
}

/** The headers that are given to `writeHead`: an object, or names and values in turns. */
const headersOf = (given: unknown): Readonly<Record<string, string>> => {
  if (!Array.isArray(given)) return { ...(given as Record<string, string> | undefined) }
  return Object.fromEntries(given.flatMap((name, at) => (at % 2 === 0 ? [[name, given[at + 1]]] : [])))
}

/**
 * Checks every answer of a server against the OpenAPI document, with the request that it answers. The test that caused a
 * discrepancy fails at its end.
 */
export const watched = (server: Server): Server =>
  server.prependListener("request", (request, response) => {
    const { headers: sentHeaders, method = "", url = "" } = request
    const [sent, written]: [Array<Buffer>, Array<Buffer>] = [[], []]
    let headers: Readonly<Record<string, string>> = {}

    const push = request.push.bind(request)
    request.push = (chunk: Buffer | null, ...more) => {
      if (chunk !== null) sent.push(chunk)
      return push(chunk, ...more)
    }
    const writeHead = response.writeHead.bind(response)
    response.writeHead = (status: number, ...about: Array<any>) => {
      headers = headersOf(about.at(-1))
      return writeHead(status, ...about)
    }
    for (const name of ["write", "end"] as const) {
      const original = response[name].bind(response)
      response[name] = (chunk?: any, ...more: Array<any>): any => {
        if (typeof chunk === "string" || chunk instanceof Uint8Array) written.push(Buffer.from(chunk))
        const result = original(chunk, ...more)
        if (name === "end") check()
        return result
      }
    }
    const check = () => {
      const status = response.statusCode
      const isRead = status < 300 && sentHeaders["content-type"]?.startsWith("application/json") === true
      const body = Buffer.concat(written).toString()
      const body_sent = isRead ? { sent: Buffer.concat(sent).toString() } : {}
      discrepancies.push(...faultsOf({ method, url, ...body_sent, status, headers, body }))
    }
  })
