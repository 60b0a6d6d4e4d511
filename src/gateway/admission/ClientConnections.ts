import type { Socket } from "node:net"
import type { SourceNetworks } from "../../platform/requests/SourceNetworks.ts"
import type { GatewayLimits } from "../GatewayLimits.ts"

/** Connections in the order of their arrival. */
type Group = Set<Socket>

type Bound = readonly [group: string, most: number]

/** A proxy may hold at most 4 times as many slots as are free, so that a few busy proxies never take all slots. */
const mostPerFreeSlot = 4

const hasRoom = (most: number, taken: number, held: number) => taken < most && held < mostPerFreeSlot * (most - taken)

/**
 * Counts and limits the client connections of a gateway process. A connection is a stranger until it has authenticated.
 * Strangers never take the slots of clients, nor the slots of known sources. When a limit of strangers is reached, the
 * oldest stranger is disconnected: a real client authenticates within moments, a flood only waits.
 */
export class ClientConnections {
  readonly #limits: GatewayLimits
  readonly #groups = new Map<string, Group>()
  readonly #waiting = new Map<Socket, ReadonlyArray<string>>()
  #clients = 0
  #tunnels = 0
  #associations = 0

  constructor(limits: GatewayLimits) {
    this.#limits = limits
  }

  /** Adds a stranger. `isKnown`: a client has authenticated from this source at this proxy before. */
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

  /** Known sources have groups of their own, so that other strangers never push them out. */
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
   * Turns an authenticated stranger into a client. False when no slot is free for a proxy that already holds `held`
   * clients.
   */
  admit(client: Socket, held: number): boolean {
    if (!hasRoom(this.#limits.clients, this.#clients, held)) return false
    this.#forget(client)
    this.#clients++
    client.once("close", () => this.#clients--)
    return true
  }

  /** Takes a slot for a connection to a destination. False when none is free for a proxy that already holds `held`. */
  enterTunnel(held: number): boolean {
    if (!hasRoom(this.#limits.tunnels, this.#tunnels, held)) return false
    this.#tunnels++
    return true
  }

  leaveTunnel() {
    this.#tunnels--
  }

  /** Takes a slot for a UDP association. False when none is free for a proxy that already holds `held`. */
  enterAssociation(held: number): boolean {
    if (held >= this.#limits.associationsPerProxy || this.#associations >= this.#limits.associations) return false
    this.#associations++
    return true
  }

  leaveAssociation() {
    this.#associations--
  }
}
