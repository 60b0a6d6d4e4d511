import { NodeHttpIncomingMessage } from "@effect/platform-node/NodeHttpIncomingMessage"
import { Effect, type Option } from "effect"
import { Cookies, type Headers, HttpServerError, HttpServerRequest } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { bodyLimit } from "../platform/requests/BodyLimit.ts"

type ServerError = HttpServerError.HttpServerError

const unreadable = (request: ApiRequest, description: string) =>
  Effect.fail(
    new HttpServerError.HttpServerError({ reason: new HttpServerError.RequestParseError({ request, description }) })
  )

/** Reads a body of at most `mostBytes`. */
const read = (request: ApiRequest) =>
  Effect.callback<Buffer, ServerError>((resume) => {
    const { mostBytes: most, response, source } = request
    if (Number(source.headers["content-length"] ?? 0) > most)
      return resume(unreadable(request, "The body is too large"))
    const chunks: Array<Buffer> = []
    let size = 0
    const stop = () => void source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut)
    const end = (result: Effect.Effect<Buffer, ServerError>) => {
      stop()
      resume(result)
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > most) end(unreadable(request, "The body is too large"))
    }
    const onEnd = () => end(Effect.succeed(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    const onCut = () => end(unreadable(request, "The body ended early"))
    source.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut)
    if (request.waitsForContinue) response.writeContinue()
    return Effect.sync(stop)
  })

/** Leaves out a byte order mark, which some clients write before JSON. */
const utf8 = new TextDecoder()

const unsupported = Effect.die(new Error("Operations of the API read JSON, and keep the connection as it is"))

/** A request of the API, as its handlers and middlewares see it. */
export class ApiRequest extends NodeHttpIncomingMessage<ServerError> implements HttpServerRequest.HttpServerRequest {
  declare readonly [HttpServerRequest.TypeId]: typeof HttpServerRequest.TypeId
  declare readonly protocol: undefined
  readonly response: ServerResponse
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** Parameters of the query; a repeated one is an array. */
  readonly search: Readonly<Record<string, string | Array<string>>>
  /** True when the client sends the body only after `100 Continue` (RFC 9110, section 10.1.1). */
  readonly waitsForContinue: boolean
  /** Limit of the body in bytes. An operation may raise it before the body is read. */
  mostBytes = Number(bodyLimit)
  #read: Buffer | undefined

  constructor(
    source: IncomingMessage,
    response: ServerResponse,
    route: Pick<ApiRequest, "params" | "search" | "waitsForContinue">
  ) {
    super(
      source,
      () => new HttpServerError.HttpServerError({ reason: new HttpServerError.RequestParseError({ request: this }) })
    )
    this.response = response
    this.params = route.params
    this.search = route.search
    this.waitsForContinue = route.waitsForContinue
  }

  /** A body can be read once; later readers get the same bytes. */
  get #bytes(): Effect.Effect<Buffer, ServerError> {
    if (this.#read !== undefined) return Effect.succeed(this.#read)
    return Effect.map(read(this), (bytes) => (this.#read = bytes))
  }

  // Node's names of headers are in lower case already.
  override get headers() {
    return this.source.headers as Headers.Headers
  }
  override get arrayBuffer(): Effect.Effect<ArrayBuffer, ServerError> {
    return Effect.map(this.#bytes, (bytes) => new Uint8Array(bytes).buffer)
  }
  override get text(): Effect.Effect<string, ServerError> {
    return Effect.map(this.#bytes, (bytes) => utf8.decode(bytes))
  }
  get url() {
    return this.source.url ?? "/"
  }
  get originalUrl() {
    return this.url
  }
  get method() {
    return this.source.method ?? "GET"
  }
  get cookies() {
    return Cookies.parseHeader(this.headers["cookie"] ?? "")
  }
  get peerAddress(): Option.Option<string> {
    return this.remoteAddress
  }
  get multipart() {
    return unsupported
  }
  get multipartStream(): never {
    throw new Error("Operations of the API read no forms")
  }
  get upgrade() {
    return unsupported
  }
  upgradeWith() {
    return unsupported
  }
  toJSON() {
    return { _id: "app/http/ApiRequest", method: this.method, url: this.url }
  }
  modify(): never {
    throw new Error("The request of an operation stays as it is")
  }
}
Object.defineProperty(ApiRequest.prototype, HttpServerRequest.TypeId, { value: HttpServerRequest.TypeId })

/** Bytes of a body that are dropped after the answer, so that its connection can serve further requests. */
const droppedAtMost = 256 * 1024

/** Time for the client to read the answer before its connection ends. */
const closeAfterMillis = 500

/** Drops the rest of a body that was not read, and ends the connection when the rest is long. */
export const drain = (request: IncomingMessage) => {
  let left = droppedAtMost
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left > 0) return
    request.pause()
    request.socket.end()
    setTimeout(() => request.socket.destroy(), closeAfterMillis).unref()
  })
  request.resume()
}
