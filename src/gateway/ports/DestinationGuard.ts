import { NetAddress } from "effect/net"
import type { Socket } from "node:net"
import { Refusal } from "../admission/Refusal.ts"
import { DestinationMatcher } from "../DestinationMatcher.ts"
import type { GatewayProxy } from "../GatewayProxy.ts"
import { type Denial, dial, type DialOptions, nameOf, resolveDestination } from "./Destination.ts"

/** Closes every destination that no rule of the proxy allows. */
const closed = {
  scope: "platform",
  scope_id: null,
  action: "deny",
  first_port: 1,
  last_port: 65_535,
  network: null,
  host_suffix: null
} as const

/** Compiles the rules of a proxy's owner: `deny` wins, and with an `allow` everything that no `allow` fits is closed. */
const compile = ({ destinations, id }: GatewayProxy): DestinationMatcher =>
  new DestinationMatcher([
    ...destinations.map((rule) => ({ ...rule, scope: "proxy" as const, scope_id: id })),
    ...(destinations.some(({ action }) => action === "allow") ? [closed] : [])
  ])

export interface GuardOptions extends DialOptions {
  /** The operator's rules about destinations; the server replaces them when they change. */
  readonly rules: { matcher: DestinationMatcher }
}

/** The rules of the operator and of the owner about the destinations of one proxy. What one of them forbids is closed. */
export class DestinationGuard {
  readonly #options: GuardOptions
  readonly #proxy: GatewayProxy
  readonly #own: DestinationMatcher

  constructor(proxy: GatewayProxy, options: GuardOptions) {
    this.#options = options
    this.#proxy = proxy
    this.#own = compile(proxy)
  }

  /** Undefined: there are no rules, so nothing is compared. */
  #denial(host: string, port: number): Denial | undefined {
    const { matcher } = this.#options.rules
    if (matcher.isEmpty && this.#own.isEmpty) return undefined
    const name = nameOf(host)
    return (address) => {
      if (matcher.denies(this.#proxy, { name, address, port })) return Refusal.rule
      return this.#own.denies(this.#proxy, { name, address, port }) ? Refusal.ownRule : undefined
    }
  }

  /** Finds the rule that forbids the open connection to a destination. */
  forbids(host: string, port: number, remote: string | undefined): Refusal | undefined {
    const denial = this.#denial(host, port)
    if (denial === undefined || remote === undefined) return undefined
    return denial(NetAddress.toCanonical(NetAddress.ipFromStringUnsafe(remote)))
  }

  /** Resolves a destination to the addresses that the proxy may reach. Fails with a `Refusal`. */
  resolve(host: string, port: number): Promise<ReadonlyArray<string>> {
    return resolveDestination(host, port, this.#proxy, this.#options, this.#denial(host, port))
  }

  /** Connects to a destination from an exit address. Fails with a `Refusal`. */
  async dial(host: string, port: number, exit_ip: string | null): Promise<Socket> {
    return await dial(await this.resolve(host, port), port, exit_ip, this.#options)
  }
}
