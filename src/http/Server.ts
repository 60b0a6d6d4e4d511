import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Config, Effect, Layer } from "effect"
import { createServer, type IncomingMessage, type Server as HttpServer, STATUS_CODES } from "node:http"
import { ListeningPort } from "../platform/settings/Addresses.ts"
import * as Cors from "../platform/requests/Cors.ts"
import { boundUnanswered } from "../platform/requests/Pipelining.ts"
import { ConnectionLimits } from "./ConnectionLimits.ts"
import * as Connections from "./Connections.ts"

/** How long a stop waits for the requests under way before it cuts them off. */
const gracefulShutdownTimeout = "3 seconds"

const unavailable = JSON.stringify({
  detail: "The service is starting or stopping; try again in a moment",
  code: "SERVICE_UNAVAILABLE"
})

const hasDecodablePath = ({ url }: IncomingMessage) => {
  try {
    return typeof decodeURI(url?.split("?", 1)[0] ?? "") === "string"
  } catch {
    return false
  }
}

/** A path that no route has. */
const nowhere = "/unreadable"

/**
 * Comes before the routes: a path that cannot be decoded names nothing, like any unknown one; HEAD is GET, whose body
 * Node leaves out. While there are no routes, at the start and at the end, nobody else would answer at all.
 */
const answerFirst = (server: HttpServer) =>
  server.on("request", (request, response) => {
    if (!hasDecodablePath(request)) request.url = nowhere
    if (request.method === "HEAD") request.method = "GET"
    response.on("timeout", Connections.cutUnread)
    if (server.listenerCount("request") > 1) return
    response.writeHead(503, {
      ...Cors.shared,
      "content-type": "application/json",
      "retry-after": "1",
      connection: "close"
    })
    response.end(unavailable)
  })

/** What Node's parser refuses never reaches the routes. */
const answerUnreadable = (server: HttpServer) =>
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return void socket.destroy()
    const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400
    const body = JSON.stringify({
      detail: `Not a request that can be read: ${STATUS_CODES[status]}`,
      code: "BAD_REQUEST"
    })
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    )
  })

/** The listening server: `HOST` (default 127.0.0.1) and `PORT` (default 8080). */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const host = yield* Config.NonEmptyString("HOST").pipe(Config.withDefault("127.0.0.1"))
    const port = yield* ListeningPort
    const limits = yield* ConnectionLimits
    const server = createServer({
      headersTimeout: limits.headMillis,
      requestTimeout: limits.requestMillis,
      keepAliveTimeout: limits.idleMillis,
      connectionsCheckingInterval: limits.lookMillis
    })
    answerUnreadable(answerFirst(boundUnanswered(server)))
    yield* Connections.bound(server, limits)
    // The server's own end waits for every connection; those that outlast the grace must not hold it up.
    const cutOff = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
    return Layer.provideMerge(
      cutOff,
      NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout })
    )
  })
)
