import { DateTime } from "effect"
import type { Server, Socket } from "node:net"
import { networksOf } from "../../platform/requests/SourceNetworks.ts"
import type { ClientConnections } from "../admission/ClientConnections.ts"
import { dial, type DialOptions } from "./Destination.ts"
import type { GatewayLimits } from "../GatewayLimits.ts"
import type { GatewayProxy } from "../GatewayProxy.ts"
import type { PasswordGuesses } from "../admission/PasswordGuesses.ts"
import { MeteredSocket } from "../traffic/MeteredSocket.ts"
import { isTaken, listenOn, makeListener } from "./PortReserve.ts"
import { authenticate, type Login, sourceAddress } from "../admission/ProxyAccess.ts"
import { Refusal } from "../admission/Refusal.ts"
import type { TrafficMeter } from "../traffic/TrafficMeter.ts"

/** Who may use a proxy and where it leaves: connections made before such a change end with it. */
const access = ({ exit_ip, logins, protocol, rotations, whitelist }: GatewayProxy) =>
  JSON.stringify([logins, whitelist, protocol, exit_ip, rotations])

const textOf = ({ password, username }: Login) => `${username}:${password}`

/** Parts that the proxies of one process share. */
export interface ProxyPortOptions extends DialOptions, GatewayLimits {
  readonly crowd: ClientConnections
  readonly guesses: PasswordGuesses
}

/** A proxy remembers no more sources that have authenticated; it forgets the one that did longest ago. */
const mostKnown = 1_000

/** A live proxy: its port, its clients, and the way out through its meter. */
export class ProxyPort {
  proxy: GatewayProxy
  readonly #meter: TrafficMeter
  readonly #options: ProxyPortOptions
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  readonly #admitted = new Set<Socket>()
  /** Logins that were right, by source: the wrong guesses of a neighbour behind the same address do not slow them. */
  readonly #known = new Map<string, Set<string>>()
  #tunnels = 0
  #takenSince: number | undefined

  constructor(
    proxy: GatewayProxy,
    meter: TrafficMeter,
    options: ProxyPortOptions,
    onClient: (client: Socket, port: ProxyPort) => void,
    /** A server that listens on the port already. */
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
      options.crowd.arrive(client, networks, this.#known.has(networks.source), proxy.id)
      onClient(client, this)
    })
  }

  get isListening() {
    return this.#server.listening
  }

  /** Fails when the port is taken, by another gateway process perhaps. */
  async listen(host: string): Promise<void> {
    try {
      await listenOn(this.#server, host, this.proxy.port)
      this.#takenSince = undefined
    } catch (error) {
      this.#takenSince = isTaken(error) ? (this.#takenSince ?? performance.now()) : undefined
      throw error
    }
  }

  /** The time from which another process has had the port, by `performance.now()`. */
  get takenSince() {
    return this.#takenSince
  }

  /** A gateway has the port: should that one lose it, the time counts from here. */
  servedElsewhere() {
    this.#takenSince = performance.now()
  }

  #configure() {
    this.#meter.revision = this.proxy.revision
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

  /** Refuses a client by its login or its address; undefined admits it, and it counts as a client from here on. */
  admit(client: Socket, login: Login | undefined): Refusal | undefined {
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
    if (!this.#options.crowd.admit(client, this.#admitted.size)) return Refusal.busy
    this.#admitted.add(client)
    this.#remember(networks.source, login)
    return undefined
  }

  #remember(source: string, login: Login | undefined) {
    const logins = this.#known.get(source) ?? new Set()
    if (login !== undefined && this.proxy.whitelist.length === 0) logins.add(textOf(login))
    this.#known.delete(source)
    this.#known.set(source, logins)
    if (this.#known.size <= mostKnown) return
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

  /** A metered connection to a destination. Fails with a `Refusal`. */
  async connect(host: string, port: number): Promise<MeteredSocket> {
    if (DateTime.toEpochMillis(this.proxy.expires_at) <= Date.now()) throw Refusal.ended
    if (this.#meter.exhausted) throw Refusal.traffic
    if (this.#tunnels >= this.#options.tunnelsPerProxy) throw Refusal.connections
    if (!this.#options.crowd.enterTunnel(this.#tunnels)) throw Refusal.busy
    this.#tunnels++
    try {
      const raw = await dial(host, port, this.proxy, this.#options)
      const tunnel = new MeteredSocket(raw, this.#meter, this.#options.idleMillis)
      tunnel.on("error", () => {})
      return tunnel.once("close", () => this.#leaveTunnel())
    } catch (error) {
      this.#leaveTunnel()
      throw error
    }
  }

  #leaveTunnel() {
    this.#tunnels--
    this.#options.crowd.leaveTunnel()
  }
}
