import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  STATUS_CODES
} from "node:http"
import { ListeningHost, ListeningPort } from "../platform/settings/Addresses.ts"
import { ReadyAnswers } from "../platform/requests/ReadyAnswers.ts"
import * as Cors from "../platform/requests/Cors.ts"
import { boundUnanswered } from "../platform/requests/Pipelining.ts"
import { Worker } from "../platform/workers/Worker.ts"
import { ApiListener } from "./ApiListener.ts"
import { ConnectionLimits } from "./ConnectionLimits.ts"
import * as Connections from "./Connections.ts"
import * as SessionWorkers from "./SessionWorkers.ts"
import { Upgrades } from "./Upgrades.ts"

/** Time that a stop waits for running requests before it cuts them off. */
const gracefulShutdownTimeout = "3 seconds"

const unavailable = JSON.stringify({
  detail: "The service is starting or stopping; try again in a moment",
  code: "SERVICE_UNAVAILABLE"
})

const hasDecodablePath = ({ url = "/" }: IncomingMessage) => {
  try {
    return !url.includes("%") || typeof decodeURI(url.split("?", 1)[0] ?? "") === "string"
  } catch {
    return false
  }
}

/** A path without a route. */
const nowhere = "/unreadable"

/** The scheme and the host of a request target in absolute form (RFC 9112, section 3.2.2). */
const host = /^https?:\/\/[^/?#]*/i

/**
 * Handles each request before the routes do. Takes the host out of the target, turns a path that cannot be decoded into an
 * unknown one, and HEAD into GET, because Node omits the body itself. Answers 503 while there are no routes, at the start
 * and at the end.
 */
const answerFirst = (server: HttpServer) => {
  for (const event of ["request", "checkContinue"]) {
    const first: RequestListener = (request, response) => {
      if (request.url?.startsWith("/") !== true) request.url = request.url?.replace(host, "") || "/"
      if (!hasDecodablePath(request)) request.url = nowhere
      if (request.method === "HEAD") request.method = "GET"
      if (server.listenerCount(event) > own) return
      response.writeHead(503, {
        ...Cors.shared,
        "content-type": "application/json",
        "retry-after": "1",
        connection: "close"
      })
      response.end(unavailable)
    }
    server.on(event, first)
    /** The listeners that are not routes. */
    const own = server.listenerCount(event)
  }
  return server
}

/** Answers requests that Node's parser refuses, because they never reach the routes. */
const answerUnreadable = (server: HttpServer) =>
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return void socket.destroy()
    const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400
    const body = JSON.stringify({
      detail: `The request cannot be read: ${STATUS_CODES[status]}`,
      code: "BAD_REQUEST"
    })
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    )
  })

interface Address {
  readonly host?: string
  readonly port: number
  readonly reusePort?: boolean
}

/** Listens with Node's server. The framework's routes get every request that `ApiListener` does not answer. */
export const listening = (server: HttpServer, address: Address) => {
  // Before `ApiListener`, which keeps listeners of other upgrades away from the server.
  const upgrades = Upgrades.layerOf(server)
  answerUnreadable(answerFirst(boundUnanswered(server))).on("timeout", Connections.cutStill)
  // The server waits for every connection to end, so this closes the connections that outlast the grace period.
  const cutOff = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
  return Layer.merge(cutOff, SessionWorkers.layerOf(server)).pipe(
    Layer.provideMerge(NodeHttpServer.layer(() => server, { ...address, gracefulShutdownTimeout })),
    Layer.provideMerge([ApiListener.layerOf(server), ReadyAnswers.layer, upgrades])
  )
}

/** The HTTP server. It listens on `HOST` (default 127.0.0.1) and `PORT` (default 8080). */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const host = yield* ListeningHost
    const port = yield* ListeningPort
    const limits = yield* ConnectionLimits
    const server = createServer({
      headersTimeout: limits.headMillis,
      requestTimeout: limits.requestMillis,
      keepAliveTimeout: limits.idleMillis,
      connectionsCheckingInterval: limits.lookMillis
    })
    yield* Connections.bound(server, limits)
    // The system spreads the connections over the workers.
    return listening(server, { host, port, reusePort: (yield* Worker) !== undefined })
  })
)
