import { Effect, Schedule } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { limitedPart, TrustedProxies } from "../platform/requests/ClientAddress.ts"
import { isAnswering } from "../platform/requests/Pipelining.ts"
import { Worker } from "../platform/workers/Worker.ts"
import type { ConnectionLimits } from "./ConnectionLimits.ts"

/** Below this number of open files, ordinary clients soon use up all connections. */
const fewFiles = 4_096

/** Extra connections for sockets that are still closing. */
const leaving = 64

/** Time between log lines about refused connections, so that a flood of connections does not flood the log. */
const reportEvery = "1 minute"

const boundSources = (server: Server, most: number, refused: () => void) => {
  const open = new Map<string, number>()
  server.on("connection", (socket: Socket) => {
    const source = limitedPart(socket.remoteAddress ?? "unknown")
    const count = (open.get(source) ?? 0) + 1
    open.set(source, count)
    socket.once("close", () => {
      const left = (open.get(source) ?? 1) - 1
      if (left === 0) open.delete(source)
      else open.set(source, left)
    })
    if (count <= most) return
    refused()
    socket.destroy()
  })
}

/**
 * Ends a connection that stands still, between requests or while its client does not read the response. The connection
 * stays open while the service makes the response, and while a stream has nothing to send.
 */
export const cutStill = (socket: Socket) => {
  if (!isAnswering(socket) || socket.writableLength > 0) socket.destroy()
}

/**
 * Node's own field: the response that a connection waits for or reads. An entry of ours for each request keeps finished
 * requests in V8's memory until a full collection.
 */
interface Serving extends Socket {
  readonly _httpMessage?: ServerResponse | null
}

/** A busy connection moves to the end of the order once in this time. */
const moveMillis = 1000

/** Open connections, ordered by their arrival or by their last request, to the second; each with the time of its move. */
type Open = Map<Serving, number>

const longest = (open: Open, isIt: (socket: Serving) => boolean) => {
  for (const socket of open.keys()) if (isIt(socket)) return socket
}

/** True when no request is in progress: none has arrived completely, or the last one is answered. */
const waits = ({ _httpMessage }: Serving) => _httpMessage?.req.complete !== true

/** True when the response is complete and the client is still reading it. */
const reads = ({ _httpMessage }: Serving) => _httpMessage?.writableEnded === true

/**
 * Closes the connections that have been reading longest until the others have at most `most` unread bytes. A response stays in
 * memory until its client has read it.
 */
const boundUnread = (open: Open, most: number, refused: () => void) => {
  const reading = [...open.keys()].filter(({ writableLength }) => writableLength > 0)
  let unread = reading.reduce((sum, { writableLength }) => sum + writableLength, 0)
  for (const socket of reading) {
    if (unread <= most) return
    unread -= socket.writableLength
    refused()
    socket.destroy()
  }
}

/**
 * Makes room for a connection at the limit. Closes the connection that has waited longest, else the one that has been
 * reading its response longest. So idle and slow connections from many addresses do not keep other clients away. Returns the
 * open connections.
 */
const makeRoom = (server: Server, most: number, refused: () => void) => {
  const open: Open = new Map()
  server.prependListener("connection", (socket: Socket) => {
    const leaves = open.size < most ? undefined : (longest(open, waits) ?? longest(open, reads) ?? socket)
    open.set(socket, Number.NEGATIVE_INFINITY)
    socket.once("close", () => open.delete(socket))
    if (leaves === undefined) return
    refused()
    open.delete(leaves)
    leaves.destroy()
  })
  server.on("request", ({ socket }: IncomingMessage) => {
    const moved = open.get(socket)
    const now = performance.now()
    if (moved === undefined || now - moved < moveMillis) return
    open.delete(socket)
    open.set(socket, now)
  })
  return open
}

const limitsLine = ({ connections, connectionsPerSource, openFiles }: ConnectionLimits, behindProxy: boolean) => {
  const bounds = `at most ${connections} connections at once${behindProxy ? "" : `, ${connectionsPerSource} from one address`}`
  return openFiles < fewFiles
    ? Effect.logWarning(
        `This process may open only ${openFiles} files, so the API accepts ${bounds}; raise the limit (ulimit -n 65536, LimitNOFILE=65536 in systemd, --ulimit nofile=65536 in Docker)`
      )
    : Effect.logInfo(`The API accepts ${bounds}`)
}

/** Limits the connections of a server, in total and for each client address, and logs the limits. */
export const bound = Effect.fnUntraced(function* (server: Server, limits: ConnectionLimits) {
  // All connections come from the reverse proxy, which limits its own clients.
  const behindProxy = (yield* TrustedProxies) > 0
  let refused = 0
  const refuse = () => {
    refused += 1
  }
  // A closing connection still counts when its successor has arrived.
  server.maxConnections = behindProxy ? limits.connections : limits.connections + leaving
  server.on("drop", refuse)
  if (!behindProxy) boundSources(server, limits.connectionsPerSource, refuse)
  const open = makeRoom(server, behindProxy ? Infinity : limits.connections, refuse)
  const unreadBytes = limits.unreadBytes / ((yield* Worker)?.count ?? 1)
  yield* Effect.sync(() => boundUnread(open, unreadBytes, refuse)).pipe(
    Effect.schedule(Schedule.spaced(limits.lookMillis)),
    Effect.forkScoped
  )
  server.timeout = limits.unreadMillis
  yield* limitsLine(limits, behindProxy)
  const tell = Effect.suspend(() => {
    if (refused === 0) return Effect.void
    const count = refused
    refused = 0
    return Effect.logWarning(`The API refused ${count} connections over its limits`)
  })
  yield* Effect.forkScoped(Effect.schedule(tell, Schedule.spaced(reportEvery)))
})
