import type { Socket } from "node:net"
import type { SourceNetworks } from "../../platform/requests/SourceNetworks.ts"
import type { GatewayLimits } from "../GatewayLimits.ts"

/** Connections in the order in which they came. */
type Group = Set<Socket>

type Bound = readonly [group: string, most: number]

/** A proxy holds at most this many times the room that is left, so that a few busy proxies never take all of it. */
const mostToFree = 4

const hasRoom = (most: number, taken: number, held: number) => taken < most && held < mostToFree * (most - taken)

/**
 * The client connections of a gateway process. A connection is a stranger's until it has authenticated, and strangers
 * never take the room of clients, nor that of a source which has authenticated before and is about to again. Where too
 * many wait, from one source, to one proxy or altogether, the one that came first makes room: a client that means it
 * authenticates within moments, a flood only waits.
 */
export class ClientConnections {
  readonly #limits: GatewayLimits
  readonly #groups = new Map<string, Group>()
  readonly #waiting = new Map<Socket, ReadonlyArray<string>>()
  #clients = 0
  #tunnels = 0

  constructor(limits: GatewayLimits) {
    this.#limits = limits
  }

  /** A connection has come. It `isKnown` when its source has authenticated at this proxy before. */
  arrive(client: Socket, networks: SourceNetworks, isKnown: boolean, proxyId: string) {
    const bounds = isKnown ? this.#boundsOfKnown(networks, proxyId) : this.#boundsOfStrangers(networks, proxyId)
    for (const [name, most] of bounds) this.#makeRoom(name, most)
    const names = bounds.map(([name]) => name)
    this.#waiting.set(client, names)
    for (const name of names) {
      const group = this.#groups.get(name)
      if (group === undefined) this.#groups.set(name, new Set([client]))
      else group.add(client)
    }
    client.once("close", () => this.#forget(client))
  }

  #boundsOfStrangers({ network, source }: SourceNetworks, proxyId: string): ReadonlyArray<Bound> {
    const { strangers, strangersPerNetwork, strangersPerProxy, strangersPerSource } = this.#limits
    return [
      [`source ${source}`, strangersPerSource],
      [`network ${network}`, strangersPerNetwork],
      [`proxy ${proxyId}`, strangersPerProxy],
      ["all", strangers]
    ]
  }

  /** No group is one of strangers, so that neither pushes the other out. */
  #boundsOfKnown({ source }: SourceNetworks, proxyId: string): ReadonlyArray<Bound> {
    const { known, knownPerProxy, strangersPerSource } = this.#limits
    return [
      [`known source ${source}`, strangersPerSource],
      [`known at ${proxyId}`, knownPerProxy],
      ["all known", known]
    ]
  }

  #makeRoom(name: string, most: number) {
    const group = this.#groups.get(name)
    if (group === undefined || group.size < most) return
    const [first] = group
    if (first === undefined) return
    this.#forget(first)
    first.resetAndDestroy()
  }

  #forget(client: Socket) {
    for (const name of this.#waiting.get(client) ?? []) {
      const group = this.#groups.get(name)
      group?.delete(client)
      if (group?.size === 0) this.#groups.delete(name)
    }
    this.#waiting.delete(client)
  }

  /**
   * The connection has authenticated: it counts as a client's from here on. False when there is no room for one more of a
   * proxy that has `held` already.
   */
  admit(client: Socket, held: number): boolean {
    if (!hasRoom(this.#limits.clients, this.#clients, held)) return false
    this.#forget(client)
    this.#clients++
    client.once("close", () => this.#clients--)
    return true
  }

  /** Takes the room of one connection to a destination; false when there is none for a proxy that has `held` already. */
  enterTunnel(held: number): boolean {
    if (!hasRoom(this.#limits.tunnels, this.#tunnels, held)) return false
    this.#tunnels++
    return true
  }

  leaveTunnel() {
    this.#tunnels--
  }
}
