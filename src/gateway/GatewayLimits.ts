import { Context } from "effect"
import * as OpenFiles from "../platform/OpenFiles.ts"

/** Bounds of a gateway process, so that no client can hold it up. */
export interface GatewayLimits {
  /** From connecting, or from the end of the last answer, until a whole request head has come. */
  readonly handshakeMillis: number
  readonly connectMillis: number
  /** A connection over which nothing moves is closed. */
  readonly idleMillis: number
  /** Connections to destinations at once, of one proxy. */
  readonly tunnelsPerProxy: number
  /** Connections to destinations at once, of all proxies. */
  readonly tunnels: number
  /** Authenticated client connections at once, of one proxy. */
  readonly clientsPerProxy: number
  /** Authenticated client connections at once, of all proxies. */
  readonly clients: number
  /** Connections at once that have not authenticated: from one IPv4 address or IPv6 /64, known or not. */
  readonly strangersPerSource: number
  /** The same from one IPv4 /24 or IPv6 /48, sources that have authenticated before left out. */
  readonly strangersPerNetwork: number
  /** The same to one proxy. */
  readonly strangersPerProxy: number
  /** The same to all proxies. */
  readonly strangers: number
  /** Connections at once, to all proxies, that have not authenticated, but whose source has before. */
  readonly known: number
  /** The same to one proxy. */
  readonly knownPerProxy: number
  /** Ports that are held before they are sold. */
  readonly reserve: number
  /** A proxy ends when another process has had its port for this time. */
  readonly lostPortMillis: number
}

/**
 * Bounds that keep a process below its limit of open files: an eighth for strangers, half of that for known sources, nine
 * sixteenths for clients and their destinations, the rest for the ports themselves, the database and the log.
 */
export const limitsFor = (openFiles: number): GatewayLimits => {
  const strangers = Math.min(10_000, Math.floor(openFiles / 8))
  const known = Math.min(5_000, Math.floor(openFiles / 16))
  const clients = Math.min(20_000, Math.floor((openFiles * 9) / 32))
  return {
    handshakeMillis: 10_000,
    connectMillis: 10_000,
    idleMillis: 300_000,
    tunnelsPerProxy: Math.min(1_000, clients),
    tunnels: clients,
    clientsPerProxy: Math.min(2_000, clients),
    clients,
    strangersPerSource: Math.min(512, Math.ceil(strangers / 4)),
    strangersPerNetwork: Math.min(1_024, Math.ceil(strangers / 2)),
    strangersPerProxy: Math.min(2_000, Math.ceil((strangers * 3) / 4)),
    strangers,
    known,
    knownPerProxy: Math.min(2_000, Math.ceil(known / 2)),
    reserve: Math.min(256, Math.ceil(openFiles / 32)),
    lostPortMillis: 60_000
  }
}

export const GatewayLimits = Context.Reference<GatewayLimits>("app/gateway/GatewayLimits", {
  defaultValue: () => limitsFor(OpenFiles.limit())
})
