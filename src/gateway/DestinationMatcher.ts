import { IpNetwork, NetAddress } from "effect/net"
import { wordsOf } from "../platform/outbound/AddressWords.ts"
import { type DestinationRule, destinationScopes } from "./DestinationRule.ts"
import type { GatewayProxy } from "./GatewayProxy.ts"

/** The part of a proxy that decides which rules concern it. */
export type RuledProxy = Pick<GatewayProxy, "id" | "account_id" | "article">

/** The destination of a connection. `name` is undefined when the client named an address. */
export interface Destination {
  readonly name: string | undefined
  readonly address: NetAddress.IpAddress
  readonly port: number
}

type Condition = Omit<DestinationRule, "until_at" | "id">

const valueOf = (address: NetAddress.IpAddress) =>
  wordsOf(address).reduce((value, word) => (value << 32n) | BigInt(word), 0n)

type Range = readonly [first: number, last: number]

/** Puts ranges in order, and makes one of those that overlap or touch. */
const merged = (ranges: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = found.at(-1)
    if (before !== undefined && first <= before[1] + 1) found[found.length - 1] = [before[0], Math.max(before[1], last)]
    else found.push([first, last])
  }
  return found
}

/** A set of ports. */
class Ports {
  readonly #added: Array<Range> = []
  #merged: ReadonlyArray<Range> | undefined

  add(first: number, last: number) {
    this.#added.push([first, last])
    this.#merged = undefined
  }

  has(port: number): boolean {
    const ranges = (this.#merged ??= merged(this.#added))
    let [from, to] = [0, ranges.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const [first, last] = ranges[middle] ?? [0, 0]
      if (port < first) to = middle
      else if (port > last) from = middle + 1
      else return true
    }
    return false
  }
}

/** Rules of one scope and one action. A look-up costs one step for each label of the name and each length of prefix. */
class Conditions {
  readonly #any = new Ports()
  readonly #hosts = new Map<string, Ports>()
  readonly #networks = { 32: new Map<number, Map<bigint, Ports>>(), 128: new Map<number, Map<bigint, Ports>>() }

  add({ first_port, host_suffix, last_port, network }: Condition) {
    this.#portsOf(host_suffix, network).add(first_port ?? 1, last_port ?? 65_535)
  }

  #portsOf(host_suffix: string | null, network: string | null): Ports {
    if (host_suffix !== null) return this.#hosts.getOrInsertComputed(host_suffix, () => new Ports())
    if (network === null) return this.#any
    const { address, prefixLength } = IpNetwork.fromStringUnsafe(network)
    const width = NetAddress.width(address)
    return this.#networks[width]
      .getOrInsertComputed(prefixLength, () => new Map())
      .getOrInsertComputed(valueOf(address) >> BigInt(width - prefixLength), () => new Ports())
  }

  fits({ address, name, port }: Destination): boolean {
    return this.#any.has(port) || this.#fitsHost(name, port) || this.#fitsNetwork(address, port)
  }

  #fitsHost(name: string | undefined, port: number): boolean {
    if (name === undefined || this.#hosts.size === 0) return false
    for (let rest = name; ; rest = rest.slice(rest.indexOf(".") + 1)) {
      if (this.#hosts.get(rest)?.has(port) === true) return true
      if (!rest.includes(".")) return false
    }
  }

  #fitsNetwork(address: NetAddress.IpAddress, port: number): boolean {
    const width = NetAddress.width(address)
    const prefixes = this.#networks[width]
    if (prefixes.size === 0) return false
    const value = valueOf(address)
    for (const [prefix, networks] of prefixes)
      if (networks.get(value >> BigInt(width - prefix))?.has(port) === true) return true
    return false
  }
}

const noConditions = () => ({ deny: new Conditions(), allow: new Conditions() })

const keyOf = (scope: DestinationRule["scope"], scope_id: string | null | undefined) => `${scope} ${scope_id ?? ""}`

/**
 * The rules about destinations, compiled for look-ups. The narrowest scope with a rule that fits decides; within a scope,
 * `deny` wins. Without a rule that fits, the destination is open.
 */
export class DestinationMatcher {
  readonly #scopes = new Map<string, Record<DestinationRule["action"], Conditions>>()

  constructor(rules: ReadonlyArray<Condition>) {
    for (const rule of rules) {
      const conditions = this.#scopes.getOrInsertComputed(keyOf(rule.scope, rule.scope_id), noConditions)
      conditions[rule.action].add(rule)
    }
  }

  get isEmpty(): boolean {
    return this.#scopes.size === 0
  }

  /** `destination` has a canonical address, and its name in lower case without a dot at its end. */
  denies({ account_id, article, id }: RuledProxy, destination: Destination): boolean {
    const ids = { proxy: id, account: account_id, article, platform: null }
    for (const scope of destinationScopes) {
      const rules = scope !== "platform" && ids[scope] === null ? undefined : this.#scopes.get(keyOf(scope, ids[scope]))
      if (rules === undefined) continue
      if (rules.deny.fits(destination)) return true
      if (rules.allow.fits(destination)) return false
    }
    return false
  }
}
