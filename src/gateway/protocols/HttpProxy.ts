import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { boundUnanswered } from "../../platform/requests/Pipelining.ts"
import { forward, type Target } from "./HttpForward.ts"
import { isUpgrade, upgrade } from "./HttpUpgrade.ts"
import { basicLogin, speaks } from "../admission/ProxyAccess.ts"
import type { ProxyPort } from "../ports/ProxyPort.ts"
import { Refusal, retryAfterSeconds } from "../admission/Refusal.ts"
import { closeGently, tunnel } from "./Tunnel.ts"

const headBytes = 16 * 1024
const keepAliveMillis = 5_000

/** The proxy of a client connection, and the deadline of its next request head. */
export interface HttpClientState {
  readonly port: ProxyPort
  readonly deadline: { readonly start: () => void; readonly stop: () => void }
  /** The number of unanswered requests. It exceeds 1 when the client pipelines requests. */
  underWay: number
}

/** Finds why a request is refused, and counts it. */
const refusalOf = (error: unknown, client: Socket, port: ProxyPort, destination?: Pick<Target, "host" | "port">) => {
  const refusal = error instanceof Refusal ? error : Refusal.upstream
  port.refused(client, refusal, destination)
  return refusal
}

/** Admits the client of a request, and returns its username. */
const authorize = (request: IncomingMessage, port: ProxyPort) => {
  const login = basicLogin(request.headers["proxy-authorization"])
  const refusal = port.admit(request.socket, login) ?? speaks(port.proxy, "HTTP")
  if (refusal !== undefined) throw refusal
  return login?.username
}

const challenge = ({ status }: Refusal) => ({
  ...(status === 407 && { "Proxy-Authenticate": 'Basic realm="proxy", charset="UTF-8"' }),
  ...((status === 429 || status === 503) && { "Retry-After": `${retryAfterSeconds}` })
})

const refuseTunnel = (client: Socket, refusal: Refusal) => {
  const headers = {
    ...challenge(refusal),
    "X-Proxy-Error": refusal.message,
    "Content-Length": "0",
    Connection: "close"
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  client.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join("")}\r\n`)
  closeGently(client)
}

const refuseRequest = (response: ServerResponse, refusal: Refusal) => {
  response.writeHead(refusal.status, {
    ...challenge(refusal),
    "X-Proxy-Error": refusal.message,
    "Content-Type": "text/plain",
    Connection: "close"
  })
  response.end(`${refusal.message}\n`)
}

/** Reads the authority of a `CONNECT` request (RFC 9110, section 9.3.6). */
const authority = (text: string) => {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@?#\s]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = bracketed ?? plain
  if (host === undefined) throw Refusal.badRequest("CONNECT needs host:port")
  return { host, port: Number(port) }
}

/** Reads the absolute URL of a plain request (RFC 9112, section 3.2.2), without user and fragment. */
const absolute = (text: string): Target => {
  const [, host, path = ""] = /^http:\/\/([\w.~%!$&'()*+,;=:[\]-]+)((?:[/?][!-"$-~]*)?)$/i.exec(text) ?? []
  const url = host === undefined ? null : URL.parse(`http://${host}`)
  if (url === null) {
    throw Refusal.badRequest("This is a proxy: send full http:// URLs, and CONNECT for https://")
  }
  return {
    url,
    path: path.startsWith("/") ? path : `/${path}`,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 80)
  }
}

/**
 * Puts the bytes that the client sent after its request back into its stream. The handlers do this before they connect,
 * because the stream of a client that has ended in the meantime takes no bytes back.
 */
const putBack = (client: Socket, head: Buffer) => {
  if (head.length > 0) client.unshift(head)
}

const connect = async (request: IncomingMessage, client: Socket, head: Buffer, port: ProxyPort) => {
  putBack(client, head)
  let target: Pick<Target, "host" | "port"> | undefined
  try {
    const username = authorize(request, port)
    target = authority(request.url ?? "")
    const upstream = await port.connect(client, target, username)
    client.write("HTTP/1.1 200 Connection established\r\n\r\n")
    tunnel(client, upstream)
  } catch (error) {
    refuseTunnel(client, refusalOf(error, client, port, target))
  }
}

const switchProtocol = async (request: IncomingMessage, client: Socket, head: Buffer, port: ProxyPort) => {
  putBack(client, head)
  let target: Target | undefined
  try {
    const username = authorize(request, port)
    target = absolute(request.url ?? "")
    await upgrade(request, client, target, await port.connect(client, target, username))
  } catch (error) {
    refuseTunnel(client, refusalOf(error, client, port, target))
  }
}

const relay = async (request: IncomingMessage, response: ServerResponse, port: ProxyPort) => {
  let target: Target | undefined
  try {
    const username = authorize(request, port)
    target = absolute(request.url ?? "")
    await forward(request, response, target, await port.connect(request.socket, target, username))
  } catch (error) {
    if (response.headersSent) closeGently(request.socket)
    else refuseRequest(response, refusalOf(error, request.socket, port, target))
  }
}

/**
 * Makes the HTTP server of all proxies: plain requests and `CONNECT`. Node's strict parser reads the heads, so that this
 * gateway and a destination always agree where a request ends. The server does not listen: the caller adds a connection to
 * `states` and then emits it as `connection`.
 */
export const makeHttpProxy = (states: WeakMap<Socket, HttpClientState>, idleMillis: number): Server => {
  const server = boundUnanswered(
    createServer({
      maxHeaderSize: headBytes,
      insecureHTTPParser: false,
      requestTimeout: 0,
      keepAliveTimeout: keepAliveMillis,
      shouldUpgradeCallback: isUpgrade
    })
  )
  server.timeout = idleMillis
  // A client that has closed its sending side still waits for the answer (RFC 9112, section 9.6).
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on("request", (request, response) => {
    const state = states.get(request.socket)
    if (state === undefined) return void request.socket.destroy()
    state.deadline.stop()
    state.underWay++
    response.once("close", () => {
      if (--state.underWay === 0) state.deadline.start()
    })
    void relay(request, response, state.port)
  })
  server.on("connect", (request, stream, head) => {
    const state = states.get(request.socket)
    if (state === undefined) return void stream.destroy()
    state.deadline.stop()
    void connect(request, request.socket, head, state.port)
  })
  server.on("upgrade", (request, stream, head) => {
    const state = states.get(request.socket)
    // The answer must not overtake the answers of earlier requests.
    if (state === undefined || state.underWay > 0 || !isUpgrade(request)) return void stream.destroy()
    state.deadline.stop()
    void switchProtocol(request, request.socket, head, state.port)
  })
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    if (!stream.writable) return void stream.destroy()
    const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400
    stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    setTimeout(() => stream.destroy(), 1_000).unref()
  })
  return server
}
