import { Context } from "effect"
import * as OpenFiles from "../platform/OpenFiles.ts"

/** Bounds of the connections of clients, so that none holds the process up. */
export interface ConnectionLimits {
  /** The number of files that the process may open, from which the bounds follow. */
  readonly openFiles: number
  /** Connections at once, of all clients. */
  readonly connections: number
  /** Connections at once, of one client address (IPv6: of one /64). */
  readonly connectionsPerSource: number
  /** From connecting, or from the first byte of another request, until a whole head has come. */
  readonly headMillis: number
  /** Until the body has come too. */
  readonly requestMillis: number
  /** Between requests. */
  readonly idleMillis: number
  /** A client that takes nothing of its answer meanwhile is cut off. */
  readonly unreadMillis: number
  /** Between two checks of heads and bodies that have not come whole. */
  readonly lookMillis: number
}

/** The most connections, also where files are plenty: each one takes memory too. */
const most = 10_000

/** Files that are kept for the database, requests to the outside, logs and listeners. */
const kept = 512

/** The most connections of a process with this limit of open files: half of a few files, nearly all of many. */
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
      lookMillis: 1_000
    }
  }
})
