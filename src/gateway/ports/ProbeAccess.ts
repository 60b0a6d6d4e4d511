import { Result } from "effect"
import { NetAddress } from "effect/net"
import type { Socket } from "node:net"
import { endpoint } from "../../platform/outbound/AllowedEndpoints.ts"
import { canonicalText } from "../../platform/outbound/PublicAddress.ts"
import type { GatewayProxy } from "../GatewayProxy.ts"
import { probedTarget } from "../ProbeLogin.ts"
import type { Login } from "../admission/ProxyAccess.ts"
import { Refusal } from "../admission/Refusal.ts"
import { MeteredSocket } from "../traffic/MeteredSocket.ts"
import { TrafficMeter } from "../traffic/TrafficMeter.ts"
import { dial, type DialOptions, resolveDestination } from "./Destination.ts"

/** The connections of probes to one proxy at a time. */
const most = 4
/** A probe without traffic ends after this time. */
const idleMillis = 15_000

/** The addresses of the target, which the service has signed: it may be private, or this machine. */
const signed = async (host: string, port: number, { resolve }: DialOptions) => {
  const literal = Result.isSuccess(NetAddress.ipFromString(host))
  const texts = literal ? [host] : await resolve(host)
  return new Set(
    texts.map((text) => endpoint(canonicalText(NetAddress.toCanonical(NetAddress.ipFromStringUnsafe(text))), port))
  )
}

/** The probes of one proxy. They reach the target of their login only, and no byte of them is the customer's traffic. */
export class ProbeAccess {
  readonly #options: DialOptions
  readonly #targets = new WeakMap<Socket, string>()
  #open = 0

  constructor(options: DialOptions) {
    this.#options = options
  }

  /** True when a client has the login of a probe. */
  admits(proxy: GatewayProxy, client: Socket, login: Login | undefined): boolean {
    const target = probedTarget(proxy, login, Date.now())
    if (target !== undefined) this.#targets.set(client, target)
    return target !== undefined
  }

  /** True when a client was admitted as a probe. */
  has(client: Socket): boolean {
    return this.#targets.has(client)
  }

  /** Connects a probe by the exit of the proxy. Fails with a `Refusal`. */
  async connect(proxy: GatewayProxy, client: Socket, host: string, port: number): Promise<MeteredSocket> {
    if (this.#targets.get(client) !== `${host}:${port}`) throw Refusal.destination
    if (this.#open >= most) throw Refusal.connections
    this.#open++
    try {
      const options = { ...this.#options, allow: await signed(host, port, this.#options) }
      const raw = await dial(await resolveDestination(host, port, proxy, options), port, proxy.exit_ip, options)
      const meter = new TrafficMeter(proxy.id, () => {})
      meter.configure({ cycle: 1, limit_bytes: null, used_bytes: 0n, leased_bytes: 0n })
      const tunnel = new MeteredSocket(raw, meter, idleMillis)
      tunnel.on("error", () => {})
      return tunnel.once("close", () => this.#open--)
    } catch (error) {
      this.#open--
      throw error
    }
  }
}
