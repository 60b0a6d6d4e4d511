import { Result } from "effect"
import { NetAddress } from "effect/net"
import { createConnection, type Socket } from "node:net"
import { endpoint } from "../../platform/outbound/AllowedEndpoints.ts"
import { canonicalText, isDialable } from "../../platform/outbound/PublicAddress.ts"
import type { GatewayProxy } from "../GatewayProxy.ts"
import { Refusal } from "../admission/Refusal.ts"
import type { Resolve } from "../../platform/outbound/NameResolution.ts"

export interface DialOptions {
  /** The allowed destinations that are private or belong to this machine. Each has the form of `endpoint`. */
  readonly allow: ReadonlySet<string>
  /** True when a canonical address leads to this machine. */
  readonly isOwn: (ip: string) => boolean
  readonly resolve: Resolve
  /** The time limit for all addresses of a destination together. */
  readonly connectMillis: number
}

/** The exit of a proxy. */
type Exit = Pick<GatewayProxy, "exit_ip" | "ip_version">

/** Finds the rule that forbids this address of the destination. */
export type Denial = (address: NetAddress.IpAddress) => Refusal | undefined

/** Returns the name of a destination as rules compare it; undefined for an address. */
export const nameOf = (host: string): string | undefined =>
  Result.isSuccess(NetAddress.ipFromString(host)) ? undefined : host.toLowerCase().replace(/\.+$/, "")

const attemptsPerFamily = 2

/** Resolves a host to its addresses, and refuses the host when one of them may not be reached. */
const addressesOf = async (host: string, port: number, options: DialOptions) => {
  const literal = NetAddress.ipFromString(host)
  if (Result.isFailure(literal) && (host.length > 253 || !/^[\w.-]+$/.test(host))) {
    throw Refusal.badRequest("The name of the destination is malformed: use a host name or an IP address")
  }
  const texts = Result.isSuccess(literal) ? [host] : await options.resolve(host)
  const addresses = texts.map((text) => NetAddress.toCanonical(NetAddress.ipFromStringUnsafe(text)))
  if (addresses.length === 0) throw Refusal.unresolved
  // One private address is enough to refuse the name, because its owner may point it at the internal network.
  const allowed = addresses.every((address) => {
    const ip = canonicalText(address)
    return (isDialable(address) && !options.isOwn(ip)) || options.allow.has(endpoint(ip, port))
  })
  if (!allowed) throw Refusal.destination
  return addresses
}

const connect = (ip: string, port: number, localAddress: string | null, millis: number) =>
  new Promise<Socket>((settle, reject) => {
    const bound = localAddress === null ? {} : { localAddress }
    const socket = createConnection({ host: ip, port, ...bound, noDelay: true, allowHalfOpen: true })
    const timer = setTimeout(() => {
      socket.destroy()
      reject(Refusal.timeout)
    }, millis)
    const failed = (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      reject(Refusal.unreachable(error.code ?? "error"))
    }
    socket.once("error", failed)
    socket.once("connect", () => {
      clearTimeout(timer)
      socket.off("error", failed)
      settle(socket)
    })
  })

/** Puts the proxy's IP version first, at most two addresses of each version. With an exit address, drops the other version. */
const inOrder = (addresses: ReadonlyArray<NetAddress.IpAddress>, { exit_ip, ip_version }: Exit) => {
  const own = addresses.filter((address) => NetAddress.familyOf(address) === ip_version)
  const others = exit_ip === null ? addresses.filter((address) => !own.includes(address)) : []
  return [...own.slice(0, attemptsPerFamily), ...others.slice(0, attemptsPerFamily)]
}

/**
 * Resolves the destination that a client requested, once, to the checked addresses in the order of attempts, so that a
 * second DNS answer cannot change the destination. Fails with a `Refusal`. Without rules `denial` is undefined.
 */
export const resolveDestination = async (
  host: string,
  port: number,
  exit: Exit,
  options: DialOptions,
  denial?: Denial
): Promise<ReadonlyArray<string>> => {
  if (!(port >= 1 && port <= 65_535))
    throw Refusal.badRequest("The port of the destination is malformed: use 1 to 65535")
  if (port === 25) throw Refusal.port
  const found = await addressesOf(host, port, options)
  const open = denial === undefined ? found : found.filter((address) => denial(address) === undefined)
  const [first] = found
  if (open.length === 0) throw (first && denial?.(first)) ?? Refusal.rule
  const addresses = inOrder(open, exit)
  if (addresses.length === 0) throw Refusal.family(exit.ip_version)
  return addresses.map(canonicalText)
}

/** Connects to the checked addresses of a destination, one after the other. Fails with a `Refusal`. */
export const dial = async (
  addresses: ReadonlyArray<string>,
  port: number,
  exit_ip: Exit["exit_ip"],
  options: DialOptions
): Promise<Socket> => {
  const deadline = performance.now() + options.connectMillis
  let failure: unknown = Refusal.timeout
  for (const [index, address] of addresses.entries()) {
    // Each address gets a share of the time, so that a silent address does not block the next one.
    const millis = (deadline - performance.now()) / (addresses.length - index)
    if (millis <= 0) break
    try {
      return await connect(address, port, exit_ip, millis)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}
