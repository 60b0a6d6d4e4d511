import { Effect, Schedule } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { limitedPart, TrustedProxies } from "../platform/requests/ClientAddress.ts"
import type { ConnectionLimits } from "./ConnectionLimits.ts"

/** Harmless clients soon use up a limit of fewer files. */
const fewFiles = 4_096

/** Room for connections that are being closed, beside those that are served. */
const leaving = 64

/** Refused connections share a line of the log, so that a flood of them does not flood it. */
const toldEvery = "1 minute"

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
 * Ends a connection that has stood still while its client takes nothing of an answer. The connection stays while the
 * answer is made, and while a stream has nothing to say.
 */
export const cutUnread = (socket: Socket) => {
  if (socket.writableLength > 0) socket.destroy()
}

type Exchange = readonly [IncomingMessage, ServerResponse] | undefined

/** In the order in which connections came or brought their last request. */
type Open = Map<Socket, Exchange>

const longest = (open: Open, isIt: (exchange: Exchange) => boolean) => {
  for (const [socket, exchange] of open) if (isIt(exchange)) return socket
}

/** True when nothing is done for a connection: it has not brought a whole request yet, or its last one is answered. */
const waits = (exchange: Exchange) => exchange === undefined || !exchange[0].complete || exchange[1].writableFinished

/** True when the answer is made, and the client takes its time to read it. */
const reads = (exchange: Exchange) => exchange?.[1].writableEnded === true

/**
 * Closes the connection that waits longest when there is no room for another, else the one that has read its answer
 * longest, so that idle and slow connections from many addresses do not keep clients away.
 */
const makeRoom = (server: Server, most: number, refused: () => void) => {
  const open: Open = new Map()
  server.prependListener("connection", (socket: Socket) => {
    const leaves = open.size < most ? undefined : (longest(open, waits) ?? longest(open, reads) ?? socket)
    open.set(socket, undefined)
    socket.once("close", () => open.delete(socket))
    if (leaves === undefined) return
    refused()
    open.delete(leaves)
    leaves.destroy()
  })
  server.on("request", (request, response) => {
    if (open.delete(request.socket)) open.set(request.socket, [request, response])
  })
}

const told = ({ connections, connectionsPerSource, openFiles }: ConnectionLimits, behindProxy: boolean) => {
  const bounds = `at most ${connections} connections at once${behindProxy ? "" : `, ${connectionsPerSource} from one address`}`
  return openFiles < fewFiles
    ? Effect.logWarning(
        `This process may open only ${openFiles} files, so the API accepts ${bounds}; allow more (ulimit -n 65536, LimitNOFILE=65536 in systemd, --ulimit nofile=65536 in Docker)`
      )
    : Effect.logInfo(`The API accepts ${bounds}`)
}

/** Bounds the connections of a server, altogether and of each client address, and says so. */
export const bound = Effect.fnUntraced(function* (server: Server, limits: ConnectionLimits) {
  // Behind a reverse proxy all connections come from there, and it bounds those of its clients.
  const behindProxy = (yield* TrustedProxies) > 0
  let refused = 0
  const refuse = () => {
    refused += 1
  }
  // Room for those that leave while another has come.
  server.maxConnections = behindProxy ? limits.connections : limits.connections + leaving
  server.on("drop", refuse)
  if (!behindProxy) {
    boundSources(server, limits.connectionsPerSource, refuse)
    makeRoom(server, limits.connections, refuse)
  }
  server.timeout = limits.unreadMillis
  yield* told(limits, behindProxy)
  const tell = Effect.suspend(() => {
    if (refused === 0) return Effect.void
    const count = refused
    refused = 0
    return Effect.logWarning(`The API refused ${count} connections over its bounds`)
  })
  yield* Effect.forkScoped(Effect.schedule(tell, Schedule.spaced(toldEvery)))
})
