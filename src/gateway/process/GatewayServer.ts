import type { Server as HttpServer } from "node:http"
import type { Socket } from "node:net"
import { ClientConnections } from "../admission/ClientConnections.ts"
import type { DialOptions } from "../ports/Destination.ts"
import { DestinationMatcher } from "../DestinationMatcher.ts"
import type { GatewayLimits } from "../GatewayLimits.ts"
import type { GatewayProxy } from "../GatewayProxy.ts"
import { PasswordGuesses } from "../admission/PasswordGuesses.ts"
import type { RefusalLog } from "../admission/RefusalLog.ts"
import { TokenBuckets } from "../admission/TokenBuckets.ts"
import { type HttpClientState, makeHttpProxy } from "../protocols/HttpProxy.ts"
import { PortReserve } from "../ports/PortReserve.ts"
import { StickyExits } from "../ports/StickyExits.ts"
import { ProxyPort, type ProxyPortOptions } from "../ports/ProxyPort.ts"
import { serveSocks5 } from "../protocols/Socks5.ts"
import type { ConnectionLog } from "../traffic/ConnectionLog.ts"
import type { TrafficMeter } from "../traffic/TrafficMeter.ts"

interface Options extends DialOptions, GatewayLimits {
  /** The address that all ports listen on. */
  readonly bind: string
  /** Lists the addresses of a pool and an IP version. Absent: there are none. */
  readonly exitsOf?: ProxyPortOptions["exitsOf"]
  readonly log?: ConnectionLog | undefined
  readonly refusals?: RefusalLog | undefined
}

const socksVersion = 0x05
const isUpperCase = (byte: number) => byte >= 0x41 && byte <= 0x5a

/** Serves the proxies of this process: each on its own port, with all protocols on the same port. */
export class GatewayServer {
  readonly #options: ProxyPortOptions & Pick<Options, "bind">
  readonly #ports = new Map<string, ProxyPort>()
  readonly #states = new WeakMap<Socket, HttpClientState>()
  readonly #http: HttpServer
  readonly #reserve = new PortReserve()

  constructor(options: Options) {
    this.#options = {
      ...options,
      connections: new ClientConnections(options),
      guesses: new PasswordGuesses(),
      openings: new TokenBuckets(options.openingsAtOnce, options.openingsPerSecond),
      exitsOf: options.exitsOf ?? (() => []),
      sticky: new StickyExits(),
      rules: { matcher: new DestinationMatcher([]) }
    }
    this.#http = makeHttpProxy(this.#states, options.idleMillis)
  }

  get bind(): string {
    return this.#options.bind
  }

  get proxies(): ReadonlyArray<GatewayProxy> {
    return Array.from(this.#ports.values(), ({ proxy }) => proxy)
  }

  /** The number of proxies whose port this process does not hold. Another gateway may serve them, and this one stands by. */
  get waiting(): number {
    return [...this.#ports.values()].filter((port) => !port.isListening).length
  }

  /** The ports that this process listens on, sold or in reserve. */
  get listening(): ReadonlyArray<number> {
    const served = [...this.#ports.values()].filter((port) => port.isListening).map(({ proxy }) => proxy.port)
    return [...served, ...this.#reserve.ports]
  }

  get reserved(): number {
    return this.#reserve.size
  }

  /** Adds a port to the reserve. Fails when the process cannot listen on it. */
  hold(port: number): Promise<void> {
    return this.#reserve.hold(this.#options.bind, port)
  }

  /** The proxies whose port another process holds. */
  get taken(): ReadonlyArray<ProxyPort> {
    return [...this.#ports.values()].filter(({ takenSince }) => takenSince !== undefined)
  }

  /** Serves a proxy by its row. Fails when the process cannot listen on the port; a repeated call tries again. */
  async serve(proxy: GatewayProxy, meter: () => TrafficMeter): Promise<void> {
    const known = this.#ports.get(proxy.id)
    if (known !== undefined && known.proxy.port === proxy.port) known.update(proxy)
    else {
      known?.close()
      this.#ports.set(
        proxy.id,
        new ProxyPort(
          proxy,
          meter(),
          this.#options,
          (client, port) => this.#accept(client, port),
          this.#reserve.take(proxy.port)
        )
      )
    }
    await this.listen(proxy.id)
  }

  /** Replaces the rules about destinations, and closes the open connections that they forbid. */
  rule(matcher: DestinationMatcher) {
    this.#options.rules.matcher = matcher
    for (const port of this.#ports.values()) port.enforceRules()
  }

  /** Listens on the port of a served proxy, unless it already listens. */
  async listen(id: string): Promise<void> {
    const port = this.#ports.get(id)
    if (port !== undefined && !port.isListening) await port.listen(this.#options.bind)
  }

  /** Stops a proxy and ends its connections immediately. */
  stop(id: string) {
    this.#ports.get(id)?.close()
    this.#ports.delete(id)
  }

  stopAll() {
    this.#reserve.close()
    for (const id of this.#ports.keys()) this.stop(id)
  }

  #accept(client: Socket, port: ProxyPort) {
    let timer: NodeJS.Timeout | undefined
    const stop = () => clearTimeout(timer)
    const start = () => {
      stop()
      if (!client.destroyed) timer = setTimeout(() => client.destroy(), this.#options.handshakeMillis)
    }
    client.once("close", stop)
    start()
    client.setTimeout(this.#options.idleMillis, () => client.destroy())
    client.once("readable", () => {
      const first: Buffer | null = client.read(1)
      if (first === null) return void client.destroy()
      client.unshift(first)
      const byte = first.readUInt8()
      if (byte === socksVersion) return serveSocks5(client, port, stop)
      // Neither SOCKS5 nor an HTTP method: for example a TLS client hello.
      if (!isUpperCase(byte)) return void client.destroy()
      // Each pipelined request adds a listener for the end of the client.
      client.setMaxListeners(0)
      this.#states.set(client, { port, deadline: { start, stop }, underWay: 0 })
      this.#http.emit("connection", client)
    })
  }
}
