import { IncomingMessage, type Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Limit of unanswered requests on one connection. HTTP/1.1 allows more, but clients send one and wait. */
const mostUnanswered = 16

const unanswered = Symbol("unanswered")

interface Connection extends Socket {
  /** The number of unanswered requests. */
  [unanswered]?: number
}

/** Counts `more` unanswered requests, and returns the number of all. */
const count = (socket: Connection, more: number) => (socket[unanswered] = (socket[unanswered] ?? 0) + more)

/** True while a request of the connection has no complete answer. */
export const isAnswering = (socket: Connection): boolean => (socket[unanswered] ?? 0) > 0

const isRequest = (event: string) => event === "request" || event === "checkContinue" || event === "checkExpectation"

function countDown(this: ServerResponse) {
  count(this.req.socket, -1)
}

const isOver = (request: unknown, response: unknown) => {
  if (!(request instanceof IncomingMessage && response instanceof ServerResponse)) return false
  const { socket } = request
  if (socket.destroyed) return true
  const isTooMany = count(socket, 1) > mostUnanswered
  response.on("close", countDown)
  if (isTooMany) socket.destroy()
  return isTooMany
}

/**
 * Ends a connection that sends many requests without waiting. Node would start all requests of a packet, about a
 * thousand, before it serves another client. So this stops them before any listener gets them.
 */
export const boundUnanswered = (server: Server): Server => {
  const emit = server.emit.bind(server)
  server.emit = (event: string, ...about: Array<unknown>) =>
    isRequest(event) && isOver(...(about as [unknown, unknown])) ? true : emit(event, ...about)
  // Without a listener, Node answers an unknown expectation itself, and the limit does not apply.
  return server.on("checkExpectation", (_, response) => response.writeHead(417).end())
}
