import { DateTime } from "effect"
import type { Server, Socket } from "node:net"
import { networksOf } from "../../platform/requests/SourceNetworks.ts"
import type { ClientConnections } from "../admission/ClientConnections.ts"
import { DestinationGuard, type GuardOptions } from "./DestinationGuard.ts"
import type { GatewayLimits } from "../GatewayLimits.ts"
import type { GatewayProxy } from "../GatewayProxy.ts"
import { KnownLogins } from "../admission/KnownLogins.ts"
import type { PasswordGuesses } from "../admission/PasswordGuesses.ts"
import type { ConnectionLog } from "../traffic/ConnectionLog.ts"
import { MeteredSocket } from "../traffic/MeteredSocket.ts"
import { isTaken, listenOn, makeListener } from "./PortReserve.ts"
import { ProbeAccess } from "./ProbeAccess.ts"
import { authenticate, type Login, sourceAddress } from "../admission/ProxyAccess.ts"
import { Refusal } from "../admission/Refusal.ts"
import { readUsername } from "../admission/SessionNames.ts"
import type { StickyExits } from "./StickyExits.ts"
import { UdpExit, type UdpExitOptions } from "./UdpExit.ts"
import type { RefusalLog } from "../admission/RefusalLog.ts"
import type { TokenBuckets } from "../admission/TokenBuckets.ts"
import type { TrafficMeter } from "../traffic/TrafficMeter.ts"

/** The fields whose change ends all connections of a proxy: its users, protocol and exit, and its suspension. */
const access = ({ exit_ip, logins, protocol, rotations, suspended_at, whitelist }: GatewayProxy) =>
  JSON.stringify([logins, whitelist, protocol, exit_ip, rotations, suspended_at !== null])

/** True when other proxies may leave from the same address at the same time. */
const sharesExit = ({ exit_ip, kind }: GatewayProxy) => exit_ip === null || kind === "mobile"

/** The parts that all proxies of one process share. */
export interface ProxyPortOptions extends GuardOptions, GatewayLimits {
  readonly connections: ClientConnections
  readonly guesses: PasswordGuesses
  /** The new connections to destinations, by proxy. */
  readonly openings: TokenBuckets
  /** Records the connections of proxies that share their exit address. Undefined: they are not recorded. */
  readonly log?: ConnectionLog | undefined
  /** Lists the addresses on sale of a pool and an IP version, which this machine has. */
  readonly exitsOf: (pool: string, ip_version: GatewayProxy["ip_version"]) => ReadonlyArray<string>
  readonly sticky: StickyExits
  /** Counts the refusals for the owners of the proxies. Undefined: they are not counted. */
  readonly refusals?: RefusalLog | undefined
}

/** A destination as a client names it. */
interface Named {
  readonly host: string
  readonly port: number
}

/** The addresses of a connection that leaves from an exit. */
type Leaving = Pick<Socket, "localAddress" | "localPort" | "remoteAddress">

/** A served proxy: its port, its clients, and its metered connections to destinations. */
export class ProxyPort {
  proxy: GatewayProxy
  readonly #meter: TrafficMeter
  readonly #options: ProxyPortOptions
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  readonly #admitted = new Set<Socket>()
  readonly #probes: ProbeAccess
  /** The correct logins of each source. Wrong guesses from the same source do not limit them. */
  readonly #known = new KnownLogins()
  #guard: DestinationGuard
  #tunnels = 0
  /** The destinations of the open tunnels, as their clients named them. */
  readonly #destinations = new Map<MeteredSocket, Named>()
  readonly #associations = new Set<UdpExit>()
  #takenSince: number | undefined

  constructor(
    proxy: GatewayProxy,
    meter: TrafficMeter,
    options: ProxyPortOptions,
    onClient: (client: Socket, port: ProxyPort) => void,
    /** The server that already listens on the port. */
    held?: Server
  ) {
    this.proxy = proxy
    this.#meter = meter
    this.#options = options
    this.#probes = new ProbeAccess(options)
    this.#guard = new DestinationGuard(proxy, options)
    this.#configure()
    this.#server = (held ?? makeListener()).on("connection", (client: Socket) => {
      client.on("error", () => client.destroy())
      client.once("close", () => {
        this.#clients.delete(client)
        this.#admitted.delete(client)
      })
      this.#clients.add(client)
      const networks = networksOf(sourceAddress(client.remoteAddress))
      options.connections.arrive(client, networks, this.#known.has(networks.source), proxy.id)
      onClient(client, this)
    })
  }

  get isListening() {
    return this.#server.listening
  }

  /** Listens on the port. Fails when another process holds it, such as another gateway. */
  async listen(host: string): Promise<void> {
    try {
      await listenOn(this.#server, host, this.proxy.port)
      this.#takenSince = undefined
    } catch (error) {
      this.#takenSince = isTaken(error) ? (this.#takenSince ?? performance.now()) : undefined
      throw error
    }
  }

  /** The time, by `performance.now()`, since which another process has held the port. */
  get takenSince() {
    return this.#takenSince
  }

  /** Restarts the time of `takenSince`, because another gateway serves the proxy. */
  servedElsewhere() {
    this.#takenSince = performance.now()
  }

  #configure() {
    this.#meter.revision = this.proxy.revision
    this.#meter.setRate(this.proxy.rate_bps)
    this.#meter.configure(this.proxy)
  }

  update(proxy: GatewayProxy) {
    const previous = this.proxy
    this.proxy = proxy
    this.#guard = new DestinationGuard(proxy, this.#options)
    this.#configure()
    if (access(previous) !== access(proxy)) {
      this.#known.clear()
      this.#options.sticky.forget(this.proxy.id)
      // Customers change the access as often as they like, and that must not look like a failure of the proxy.
      this.#disconnect((client) => this.#probes.has(client))
    } else if (JSON.stringify(previous.destinations) !== JSON.stringify(proxy.destinations)) this.enforceRules()
  }

  /** Checks the login or address of a client. Undefined: the client is admitted and counts as a client from now on. */
  admit(client: Socket, given: Login | undefined): Refusal | undefined {
    const login = given && { ...given, username: readUsername(this.proxy, given.username).username }
    if (this.proxy.suspended_at !== null) return Refusal.suspended
    const source = sourceAddress(client.remoteAddress)
    const networks = networksOf(source)
    if (this.#probes.admits(this.proxy, client, given)) {
      this.#known.add(networks.source, undefined)
      return undefined
    }
    const isProven = login !== undefined && this.#known.includes(networks.source, login)
    const isGuess = login !== undefined && this.proxy.whitelist.length === 0 && !isProven
    if (isGuess && !this.#options.guesses.mayGuess(networks, this.proxy.id)) return Refusal.guesses
    const refusal = authenticate(this.proxy, source, login)
    if (refusal !== undefined) {
      if (isGuess) this.#options.guesses.failed(networks, this.proxy.id)
      return refusal
    }
    if (this.#admitted.has(client)) return undefined
    if (this.#admitted.size >= this.#options.clientsPerProxy) return Refusal.connections
    if (!this.#options.connections.admit(client, this.#admitted.size)) return Refusal.busy
    this.#admitted.add(client)
    this.#known.add(networks.source, this.proxy.whitelist.length === 0 ? login : undefined)
    return undefined
  }

  /** Counts a refusal, unless its client has gone: then something else than the refusal ended the attempt. */
  refused(client: Socket, refusal: Refusal, destination?: Named) {
    if (client.destroyed) return
    this.#options.refusals?.refused(this.proxy.id, refusal, sourceAddress(client.remoteAddress), destination)
  }

  close() {
    this.#meter.retired = true
    this.#options.sticky.forget(this.proxy.id)
    this.#server.close()
    this.#disconnect()
  }

  #disconnect(isSpared: (client: Socket) => boolean = () => false) {
    for (const client of this.#clients) if (!isSpared(client)) client.resetAndDestroy()
  }

  #checkServes() {
    if (DateTime.toEpochMillis(this.proxy.expires_at) <= Date.now()) throw Refusal.ended
    if (this.proxy.suspended_at !== null) throw Refusal.suspended
  }

  /** Takes a slot for a connection to a destination. Fails with a `Refusal`. */
  #enter() {
    if (this.#meter.exhausted) throw Refusal.traffic
    if (this.#tunnels >= Math.min(this.#options.tunnelsPerProxy, this.proxy.max_connections ?? Infinity))
      throw Refusal.connections
    if (!this.#mayOpen()) throw Refusal.openings
    if (!this.#options.connections.enterTunnel(this.#tunnels)) throw Refusal.busy
    this.#tunnels++
  }

  /** Picks the address that a connection leaves from. The username may name a session. Null: the system picks it. */
  #exitFor(username: string | undefined): string | null {
    const { exit_ip, id, ip_version, pool, session_minutes } = this.proxy
    if (session_minutes === null || pool === null) return exit_ip
    const { session } = readUsername(this.proxy, username ?? "")
    return this.#options.sticky.pick(id, this.#options.exitsOf(pool, ip_version), session) ?? exit_ip
  }

  /** Opens a metered connection to a destination for the client with this username. Fails with a `Refusal`. */
  async connect(client: Socket, { host, port }: Named, username?: string): Promise<MeteredSocket> {
    this.#checkServes()
    if (this.#probes.has(client)) return await this.#probes.connect(this.proxy, client, host, port)
    this.#enter()
    try {
      const raw = await this.#dial(host, port, this.#exitFor(username))
      const tunnel = new MeteredSocket(raw, this.#meter, this.#options.idleMillis)
      this.#destinations.set(tunnel, { host, port })
      const recorded = this.#record(raw, port)
      tunnel.on("error", () => {})
      return tunnel.once("close", () => {
        this.#destinations.delete(tunnel)
        this.#leaveTunnel()
        if (recorded !== undefined) this.#options.log?.closed(recorded)
      })
    } catch (error) {
      this.#leaveTunnel()
      throw error
    }
  }

  /** Opens an association for datagrams (RFC 1928, section 7). Fails with a `Refusal`. */
  associate(client: Socket, { ended, receive }: Pick<UdpExitOptions, "ended" | "receive">, username?: string): UdpExit {
    this.#checkServes()
    if (this.#probes.has(client)) throw Refusal.destination
    this.#enter()
    const { connections, idleMillis, log } = this.#options
    if (!connections.enterAssociation(this.#associations.size)) {
      this.#leaveTunnel()
      throw Refusal.connections
    }
    const exit = new UdpExit({
      exit_ip: this.#exitFor(username),
      meter: this.#meter,
      idleMillis,
      guard: () => this.#guard,
      mayOpen: () => this.#mayOpen(),
      opened: (local, port) => this.#record(local, port),
      closed: (recorded) => log?.closed(recorded),
      refused: (refusal, destination) => this.refused(client, refusal, destination),
      receive,
      ended: () => {
        this.#associations.delete(exit)
        connections.leaveAssociation()
        this.#leaveTunnel()
        ended()
      }
    })
    this.#associations.add(exit)
    return exit
  }

  #mayOpen(): boolean {
    const { openings } = this.#options
    const now = performance.now()
    if (!openings.has(this.proxy.id, now)) return false
    openings.take(this.proxy.id, now)
    return true
  }

  /** Connects, and refuses the destination when the rules have changed meanwhile and forbid it. */
  async #dial(host: string, port: number, exit_ip: string | null): Promise<Socket> {
    const raw = await this.#guard.dial(host, port, exit_ip)
    const refusal = this.#guard.forbids(host, port, raw.remoteAddress)
    if (refusal === undefined) return raw
    raw.destroy()
    throw refusal
  }

  /** Closes the connections to destinations that the rules forbid. */
  enforceRules() {
    for (const [tunnel, { host, port }] of this.#destinations)
      if (this.#guard.forbids(host, port, tunnel.remoteAddress) !== undefined) tunnel.destroy()
    for (const exit of this.#associations) exit.enforceRules()
  }

  #record({ localAddress, localPort, remoteAddress }: Leaving, destination_port: number) {
    const { log } = this.#options
    if (log === undefined || !sharesExit(this.proxy)) return undefined
    if (localAddress === undefined || localPort === undefined || remoteAddress === undefined) return undefined
    const exit = { exit_ip: localAddress, exit_port: localPort }
    return log.opened({ proxy_id: this.proxy.id, ...exit, destination: remoteAddress, destination_port })
  }

  #leaveTunnel() {
    this.#tunnels--
    this.#options.connections.leaveTunnel()
  }
}
