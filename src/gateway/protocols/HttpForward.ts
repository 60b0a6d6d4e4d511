import { type ClientRequest, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { MeteredSocket } from "../traffic/MeteredSocket.ts"
import { Refusal } from "../admission/Refusal.ts"
import { closeGently, endWith } from "./Tunnel.ts"

/** The header fields that belong to one connection (RFC 9110, section 7.6.1), or to the framing (see `framing`). */
const connectionFields = new Set([
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect"
])

/** Keeps the header fields that are forwarded, in their order and spelling. */
export const endToEnd = (message: IncomingMessage, ...dropped: ReadonlyArray<string>): Array<string> => {
  const named = (message.headers.connection ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
  const notForwarded = new Set([...connectionFields, ...dropped, ...named.filter((name) => name !== "content-length")])
  const fields: Array<string> = []
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const [name = "", value = ""] = message.rawHeaders.slice(index, index + 2)
    const key = name.toLowerCase()
    if (!notForwarded.has(key) && !key.startsWith("proxy-")) fields.push(name, value)
  }
  return fields
}

/** Writes the framing fields of the forwarded request. They match the framing of the client's request. */
const framing = (request: IncomingMessage): ReadonlyArray<string> => {
  const coding = request.headers["transfer-encoding"]
  if (coding === undefined) {
    const empty = request.headers["content-length"] === undefined && /^(POST|PUT|PATCH)$/.test(request.method ?? "")
    return empty ? ["Content-Length", "0"] : []
  }
  if (coding.toLowerCase() !== "chunked")
    throw Refusal.badRequest("This proxy supports only the chunked transfer coding")
  return ["Transfer-Encoding", "chunked"]
}

/** The destination of a plain request. */
export interface Target {
  readonly url: URL
  /** The path and query exactly as the client wrote them (RFC 9110, section 7.7). */
  readonly path: string
  readonly host: string
  readonly port: number
}

const send = (request: IncomingMessage, { path, url }: Target, upstream: MeteredSocket): ClientRequest =>
  httpRequest({
    createConnection: () => upstream,
    method: request.method ?? "GET",
    path,
    headers: ["Host", url.host, ...endToEnd(request, "host"), ...framing(request), "Connection", "close"],
    setHost: false,
    insecureHTTPParser: false
  })

/** Ends the client's connection in the middle of an answer, so that the client does not take it for complete. */
const breakOff = (client: Socket, response: ServerResponse) => {
  // For an HTTP/1.0 client a normal end of the connection means a complete answer, so this resets the connection.
  if (response.req.httpVersionMinor === 0) client.resetAndDestroy()
  else closeGently(client)
}

const isDelimited = ({ headers }: IncomingMessage) =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/** Forwards an answer to the client, including an early end. */
export const relayAnswer = (
  answer: IncomingMessage,
  response: ServerResponse,
  client: Socket,
  upstream: MeteredSocket
) => {
  const coding = answer.headers["transfer-encoding"]
  // The field is not forwarded, so the client could not decode another transfer coding.
  if (coding !== undefined && coding.toLowerCase() !== "chunked") throw Refusal.upstream
  response.sendDate = false
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", endToEnd(answer))
  answer.pipe(response, { end: false })
  answer.once("error", () => breakOff(client, response))
  answer.once("end", () => {
    if (upstream.isCut && !isDelimited(answer)) breakOff(client, response)
    else response.end()
    upstream.destroy()
  })
}

/** Forwards one plain request and its answer over a connection of its own. Fails when no answer arrives. */
export const forward = (request: IncomingMessage, response: ServerResponse, target: Target, upstream: MeteredSocket) =>
  new Promise<void>((settle, reject) => {
    const client = request.socket
    const failed = (error: unknown) => {
      upstream.destroy()
      reject(error)
    }
    if (!endWith(client, upstream)) return failed(Refusal.upstream)
    const outgoing = send(request, target, upstream)
    outgoing.on("response", (answer) => {
      try {
        relayAnswer(answer, response, client, upstream)
        response.once("close", settle)
      } catch (error) {
        failed(error)
      }
    })
    outgoing.once("upgrade", () => failed(Refusal.upstream))
    outgoing.once("error", failed)
    outgoing.once("close", () => {
      upstream.destroy()
      if (!response.headersSent) reject(Refusal.upstream)
    })
    request.pipe(outgoing)
  })
