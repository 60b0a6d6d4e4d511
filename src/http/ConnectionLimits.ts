import { Context } from "effect"
import { totalmem } from "node:os"
import * as OpenFiles from "../platform/OpenFiles.ts"

/** Limits of client connections, so that no client blocks the process. */
export interface ConnectionLimits {
  /** Number of files that the process may open; the other limits follow from it. */
  readonly openFiles: number
  /** Concurrent connections of all clients. */
  readonly connections: number
  /** Concurrent connections of one client address (IPv6: of one /64). */
  readonly connectionsPerSource: number
  /** Time from connecting, or from the first byte of the next request, until the complete head has arrived. */
  readonly headMillis: number
  /** Time until the body has arrived too. */
  readonly requestMillis: number
  /** Time between two requests. */
  readonly idleMillis: number
  /** Time without progress after which a client that does not read its response is disconnected. */
  readonly unreadMillis: number
  /** Bytes of responses that all clients together have not read. The workers of a service share it equally. */
  readonly unreadBytes: number
  /** Time between two checks for incomplete heads and bodies, and for unread responses. */
  readonly lookMillis: number
}

const leastUnreadBytes = 256 * 1024 * 1024

/** A quarter of the memory that the process may use, because a client can read an answer as slowly as it likes. */
export const unreadBytesOf = (memory: number) => Math.max(leastUnreadBytes, Math.floor(memory / 4))

/** Limit of connections where the process may open many files, because each connection takes memory too. */
const most = 10_000

/** Files reserved for the database, outbound requests, logs and listeners. */
const kept = 512

/**
 * Limit of connections for a process that may open `openFiles` files: half of a small number, nearly all of a large
 * one.
 */
export const connectionsOf = (openFiles: number) =>
  Math.min(most, Math.max(openFiles - kept, Math.floor(openFiles / 2)))

export const ConnectionLimits = Context.Reference<ConnectionLimits>("app/http/ConnectionLimits", {
  defaultValue: () => {
    const openFiles = OpenFiles.limit()
    const connections = connectionsOf(openFiles)
    return {
      openFiles,
      connections,
      connectionsPerSource: Math.ceil(connections / 8),
      headMillis: 10_000,
      requestMillis: 30_000,
      idleMillis: 30_000,
      unreadMillis: 30_000,
      // Without a limit of the process, the constrained memory is 0 or larger than that of the machine.
      unreadBytes: unreadBytesOf(Math.min(process.constrainedMemory() || Infinity, totalmem())),
      lookMillis: 1_000
    }
  }
})
