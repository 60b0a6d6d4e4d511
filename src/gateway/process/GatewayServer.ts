import type { Server as HttpServer } from "node:http"
import type { Socket } from "node:net"
import { ClientConnections } from "../admission/ClientConnections.ts"
import type { DialOptions } from "../ports/Destination.ts"
import type { GatewayLimits } from "../GatewayLimits.ts"
import type { GatewayProxy } from "../GatewayProxy.ts"
import { PasswordGuesses } from "../admission/PasswordGuesses.ts"
import { type HttpClientState, makeHttpProxy } from "../protocols/HttpProxy.ts"
import { PortReserve } from "../ports/PortReserve.ts"
import { ProxyPort, type ProxyPortOptions } from "../ports/ProxyPort.ts"
import { serveSocks5 } from "../protocols/Socks5.ts"
import type { TrafficMeter } from "../traffic/TrafficMeter.ts"

interface Options extends DialOptions, GatewayLimits {
  /** The address every port listens on. */
  readonly bind: string
}

const socksVersion = 0x05
const isUpperCase = (byte: number) => byte >= 0x41 && byte <= 0x5a

/** Every live proxy of this process, each on its port, all protocols on the same one. */
export class GatewayServer {
  readonly #options: Options & ProxyPortOptions
  readonly #ports = new Map<string, ProxyPort>()
  readonly #states = new WeakMap<Socket, HttpClientState>()
  readonly #http: HttpServer
  readonly #reserve = new PortReserve()

  constructor(options: Options) {
    this.#options = { ...options, crowd: new ClientConnections(options), guesses: new PasswordGuesses() }
    this.#http = makeHttpProxy(this.#states, options.idleMillis)
  }

  get bind(): string {
    return this.#options.bind
  }

  get proxies(): ReadonlyArray<GatewayProxy> {
    return Array.from(this.#ports.values(), ({ proxy }) => proxy)
  }

  /** Proxies whose port another process has: another gateway perhaps, for which this one stands by. */
  get waiting(): number {
    return [...this.#ports.values()].filter((port) => !port.isListening).length
  }

  /** Every port that this process listens on, sold or in reserve. */
  get listening(): ReadonlyArray<number> {
    const served = [...this.#ports.values()].filter((port) => port.isListening).map(({ proxy }) => proxy.port)
    return [...served, ...this.#reserve.ports]
  }

  get reserved(): number {
    return this.#reserve.size
  }

  /** Holds a port for the next order. Fails when it cannot be listened on. */
  hold(port: number): Promise<void> {
    return this.#reserve.hold(this.#options.bind, port)
  }

  /** Proxies whose port another process has. */
  get taken(): ReadonlyArray<ProxyPort> {
    return [...this.#ports.values()].filter(({ takenSince }) => takenSince !== undefined)
  }

  /** Serves a proxy as its row says. Fails when its port cannot be listened on; asking again tries again. */
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

  /** Listens for a served proxy when it does not yet. */
  async listen(id: string): Promise<void> {
    const port = this.#ports.get(id)
    if (port !== undefined && !port.isListening) await port.listen(this.#options.bind)
  }

  /** Stops at once, with every connection. */
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
      // Anything else that is not a method, such as a TLS hello, is for somebody else.
      if (!isUpperCase(byte)) return void client.destroy()
      // Each request under way listens for the end of its client: there are some when they are pipelined.
      client.setMaxListeners(0)
      this.#states.set(client, { port, deadline: { start, stop }, underWay: 0 })
      this.#http.emit("connection", client)
    })
  }
}
