import { DateTime } from "effect"
import { NetAddress } from "effect/net"
import type { Server, Socket } from "node:net"
import { networksOf } from "../../platform/requests/SourceNetworks.ts"
import type { ClientConnections } from "../admission/ClientConnections.ts"
import { dial, type DialOptions, type IsDenied, nameOf } from "./Destination.ts"
import type { DestinationMatcher } from "../DestinationMatcher.ts"
import type { GatewayLimits } from "../GatewayLimits.ts"
import type { GatewayProxy } from "../GatewayProxy.ts"
import type { PasswordGuesses } from "../admission/PasswordGuesses.ts"
import type { ConnectionLog } from "../traffic/ConnectionLog.ts"
import { MeteredSocket } from "../traffic/MeteredSocket.ts"
import { isTaken, listenOn, makeListener } from "./PortReserve.ts"
import { authenticate, type Login, sourceAddress } from "../admission/ProxyAccess.ts"
import { Refusal } from "../admission/Refusal.ts"
import type { TokenBuckets } from "../admission/TokenBuckets.ts"
import type { TrafficMeter } from "../traffic/TrafficMeter.ts"

/** The fields whose change ends all connections of a proxy: its users, protocol and exit, and its suspension. */
const access = ({ exit_ip, logins, protocol, rotations, suspended_at, whitelist }: GatewayProxy) =>
  JSON.stringify([logins, whitelist, protocol, exit_ip, rotations, suspended_at !== null])

/** True when other proxies may leave from the same address at the same time. */
const sharesExit = ({ exit_ip, kind }: GatewayProxy) => exit_ip === null || kind === "mobile"

const textOf = ({ password, username }: Login) => `${username}:${password}`

/** The parts that all proxies of one process share. */
export interface ProxyPortOptions extends DialOptions, GatewayLimits {
  readonly connections: ClientConnections
  readonly guesses: PasswordGuesses
  /** The new connections to destinations, by proxy. */
  readonly openings: TokenBuckets
  /** The rules about destinations; the server replaces them when they change. */
  readonly rules: { matcher: DestinationMatcher }
  /** Records the connections of proxies that share their exit address. Undefined: they are not recorded. */
  readonly log?: ConnectionLog | undefined
}

/** The maximum number of known sources. Beyond it, a proxy forgets the source that authenticated longest ago. */
const maxKnown = 1_000

/** A served proxy: its port, its clients, and its metered connections to destinations. */
export class ProxyPort {
  proxy: GatewayProxy
  readonly #meter: TrafficMeter
  readonly #options: ProxyPortOptions
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  readonly #admitted = new Set<Socket>()
  /** The correct logins of each source. Wrong guesses from the same source do not limit them. */
  readonly #known = new Map<string, Set<string>>()
  #tunnels = 0
  /** The destinations of the open tunnels, as their clients named them. */
  readonly #destinations = new Map<MeteredSocket, { readonly host: string; readonly port: number }>()
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
    this.#configure()
    if (access(previous) === access(proxy)) return
    this.#known.clear()
    this.#disconnect()
  }

  /** Checks the login or address of a client. Undefined: the client is admitted and counts as a client from now on. */
  admit(client: Socket, login: Login | undefined): Refusal | undefined {
    if (this.proxy.suspended_at !== null) return Refusal.suspended
    const source = sourceAddress(client.remoteAddress)
    const networks = networksOf(source)
    const isProven = login !== undefined && this.#known.get(networks.source)?.has(textOf(login)) === true
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
    this.#remember(networks.source, login)
    return undefined
  }

  #remember(source: string, login: Login | undefined) {
    const logins = this.#known.get(source) ?? new Set()
    if (login !== undefined && this.proxy.whitelist.length === 0) logins.add(textOf(login))
    this.#known.delete(source)
    this.#known.set(source, logins)
    if (this.#known.size <= maxKnown) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }

  close() {
    this.#meter.retired = true
    this.#server.close()
    this.#disconnect()
  }

  #disconnect() {
    for (const client of this.#clients) client.resetAndDestroy()
  }

  /** Opens a metered connection to a destination. Fails with a `Refusal`. */
  async connect(host: string, port: number): Promise<MeteredSocket> {
    if (DateTime.toEpochMillis(this.proxy.expires_at) <= Date.now()) throw Refusal.ended
    if (this.proxy.suspended_at !== null) throw Refusal.suspended
    if (this.#meter.exhausted) throw Refusal.traffic
    if (this.#tunnels >= Math.min(this.#options.tunnelsPerProxy, this.proxy.max_connections ?? Infinity))
      throw Refusal.connections
    if (!this.#mayOpen()) throw Refusal.openings
    if (!this.#options.connections.enterTunnel(this.#tunnels)) throw Refusal.busy
    this.#tunnels++
    try {
      const raw = await this.#dial(host, port)
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

  #mayOpen(): boolean {
    const { openings } = this.#options
    const now = performance.now()
    if (!openings.has(this.proxy.id, now)) return false
    openings.take(this.proxy.id, now)
    return true
  }

  /** Connects, and refuses the destination when the rules have changed meanwhile and forbid it. */
  async #dial(host: string, port: number): Promise<Socket> {
    const { matcher } = this.#options.rules
    const raw = await dial(host, port, this.proxy, this.#options, this.#denial(host, port))
    if (matcher === this.#options.rules.matcher || !this.#forbids(host, port, raw.remoteAddress)) return raw
    raw.destroy()
    throw Refusal.rule
  }

  /** Undefined: there are no rules, so nothing is compared. */
  #denial(host: string, port: number): IsDenied | undefined {
    const { matcher } = this.#options.rules
    if (matcher.isEmpty) return undefined
    const name = nameOf(host)
    return (address) => matcher.denies(this.proxy, { name, address, port })
  }

  #forbids(host: string, port: number, remote: string | undefined): boolean {
    const isDenied = this.#denial(host, port)
    if (isDenied === undefined || remote === undefined) return false
    return isDenied(NetAddress.toCanonical(NetAddress.ipFromStringUnsafe(remote)))
  }

  /** Closes the connections to destinations that the rules forbid. */
  enforceRules() {
    for (const [tunnel, { host, port }] of this.#destinations)
      if (this.#forbids(host, port, tunnel.remoteAddress)) tunnel.destroy()
  }

  #record({ localAddress, localPort, remoteAddress }: Socket, destination_port: number) {
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
