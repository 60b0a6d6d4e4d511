import { IncomingMessage, type Server, ServerResponse } from "node:http"

/** Requests of one connection that are not answered yet. Clients of today send one and wait; HTTP/1.1 allows more. */
const mostUnanswered = 16

const isRequest = (event: string) => event === "request" || event === "checkExpectation"

/**
 * Ends a connection that brings many requests at once. Node begins all that one packet holds in one go, some thousand,
 * and nobody else is served meanwhile: hence they are stopped before any listener has them.
 */
export const boundUnanswered = (server: Server): Server => {
  const unanswered = new WeakMap<IncomingMessage["socket"], number>()
  const isOver = (request: unknown, response: unknown) => {
    if (!(request instanceof IncomingMessage && response instanceof ServerResponse)) return false
    const { socket } = request
    if (socket.destroyed) return true
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    if (count > mostUnanswered) socket.destroy()
    return count > mostUnanswered
  }
  const emit = server.emit.bind(server)
  server.emit = (event: string, ...about: Array<unknown>) =>
    isRequest(event) && isOver(...(about as [unknown, unknown])) ? true : emit(event, ...about)
  // Node answers an expectation that nobody listens for without a word, hence also without a bound.
  return server.on("checkExpectation", (_, response) => response.writeHead(417).end())
}
