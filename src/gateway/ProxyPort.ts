import { DateTime } from "effect"
import { once } from "node:events"
import { createServer, type Server, type Socket } from "node:net"
import { dial, type DialOptions } from "./Destination.ts"
import type { GatewayLimits } from "./GatewayLimits.ts"
import type { GatewayProxy } from "./GatewayProxy.ts"
import { MeteredSocket } from "./MeteredSocket.ts"
import { Refusal } from "./Refusal.ts"
import type { TrafficMeter } from "./TrafficMeter.ts"

/** Who may use a proxy and where it leaves: connections made before such a change end with it. */
const access = ({ exit_ip, logins, protocol, rotations, whitelist }: GatewayProxy) =>
  JSON.stringify([logins, whitelist, protocol, exit_ip, rotations])

/** A live proxy: its port, its clients, and the way out through its meter. */
export class ProxyPort {
  proxy: GatewayProxy
  readonly #meter: TrafficMeter
  readonly #options: DialOptions & GatewayLimits
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  #tunnels = 0

  constructor(
    proxy: GatewayProxy,
    meter: TrafficMeter,
    options: DialOptions & GatewayLimits,
    onClient: (client: Socket, port: ProxyPort) => void
  ) {
    this.proxy = proxy
    this.#meter = meter
    this.#options = options
    meter.configure(proxy)
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
      client.on("error", () => client.destroy())
      client.once("close", () => this.#clients.delete(client))
      this.#clients.add(client)
      onClient(client, this)
    })
    this.#server.on("error", () => {})
    this.#server.maxConnections = options.clientsPerProxy
  }

  get isListening() {
    return this.#server.listening
  }

  /** Fails when the port is taken, by another gateway process perhaps. */
  async listen(host: string): Promise<void> {
    this.#server.listen({ host, port: this.proxy.port, backlog: 1024 })
    await once(this.#server, "listening")
  }

  update(proxy: GatewayProxy) {
    const previous = this.proxy
    this.proxy = proxy
    this.#meter.configure(proxy)
    if (access(previous) !== access(proxy)) this.#disconnect()
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
    this.#tunnels++
    try {
      const raw = await dial(host, port, this.proxy, this.#options)
      const tunnel = new MeteredSocket(raw, this.#meter, this.#options.idleMillis)
      tunnel.on("error", () => {})
      return tunnel.once("close", () => this.#tunnels--)
    } catch (error) {
      this.#tunnels--
      throw error
    }
  }
}
