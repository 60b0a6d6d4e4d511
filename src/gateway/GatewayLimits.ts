import { Context } from "effect"
import * as OpenFiles from "../platform/OpenFiles.ts"

/**
 * The limits of a gateway process, so that no client can block it. A stranger is a connection that has not authenticated.
 * A known source is a source address from which a client has authenticated at the same proxy before.
 */
export interface GatewayLimits {
  /** The time for a complete request head, from the connection or from the end of the last answer. */
  readonly handshakeMillis: number
  /** The time to connect to a destination. */
  readonly connectMillis: number
  /** A connection without traffic is closed after this time. */
  readonly idleMillis: number
  /** Open connections to destinations, for one proxy. */
  readonly tunnelsPerProxy: number
  /** Open UDP associations, for one proxy. Each counts as a connection to a destination too. */
  readonly associationsPerProxy: number
  /** Open UDP associations, for all proxies together. */
  readonly associations: number
  /** New connections to destinations that one proxy may open at once, after a pause. */
  readonly openingsAtOnce: number
  /** New connections to destinations of one proxy in a second, on average. Each may be a row of the connection log. */
  readonly openingsPerSecond: number
  /** Open connections to destinations, for all proxies together. */
  readonly tunnels: number
  /** Authenticated client connections, for one proxy. */
  readonly clientsPerProxy: number
  /** Authenticated client connections, for all proxies together. */
  readonly clients: number
  /** Strangers from one IPv4 address or IPv6 /64. The limit applies to known sources too. */
  readonly strangersPerSource: number
  /** Strangers from one IPv4 /24 or IPv6 /48, without known sources. */
  readonly strangersPerNetwork: number
  /** Strangers to one proxy, without known sources. */
  readonly strangersPerProxy: number
  /** Strangers to all proxies together, without known sources. */
  readonly strangers: number
  /** Strangers from known sources, to all proxies together. */
  readonly known: number
  /** Strangers from known sources, to one proxy. */
  readonly knownPerProxy: number
  /** Ports that a gateway holds before they are sold. */
  readonly reserve: number
  /** A proxy ends when another process has held its port for this time. */
  readonly lostPortMillis: number
}

/**
 * Derives the limits from the limit of open files: 2/16 for strangers, 1/16 for strangers from known sources, 9/16 for
 * clients and their destinations, 1/16 for the sockets of UDP associations, at most three for each, the rest for the ports, the database and the log.
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
    associationsPerProxy: Math.min(64, Math.ceil(openFiles / 256)),
    associations: Math.min(1_500, Math.floor(openFiles / 64)),
    openingsAtOnce: 2_000,
    openingsPerSecond: 100,
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
