import { Result } from "effect"
import { NetAddress } from "effect/net"
import { createConnection, type Socket } from "node:net"
import { endpoint } from "../../platform/outbound/AllowedEndpoints.ts"
import { canonicalText, isDialable } from "../../platform/outbound/PublicAddress.ts"
import type { GatewayProxy } from "../GatewayProxy.ts"
import { Refusal } from "../admission/Refusal.ts"

export interface DialOptions {
  /** Destinations that may be reached although they are not public, or are the machine's own, as `endpoint` writes them. */
  readonly allow: ReadonlySet<string>
  /** Whether a canonical address leads back to this machine. */
  readonly isOwn: (ip: string) => boolean
  /** Every address of a name. */
  readonly resolve: (name: string) => Promise<ReadonlyArray<string>>
  /** For all addresses of a destination together. */
  readonly connectMillis: number
}

/** Where a proxy leaves. */
type Exit = Pick<GatewayProxy, "exit_ip" | "ip_version">

const attemptsPerFamily = 2

/** The addresses of a host as it may be dialled: literal or name, every one of them checked. */
const addressesOf = async (host: string, port: number, options: DialOptions) => {
  const literal = NetAddress.ipFromString(host)
  if (Result.isFailure(literal) && (host.length > 253 || !/^[\w.-]+$/.test(host))) {
    throw Refusal.badRequest("The destination's name is malformed: use a host name or an IP address")
  }
  const texts = Result.isSuccess(literal) ? [host] : await options.resolve(host)
  const addresses = texts.map((text) => NetAddress.toCanonical(NetAddress.ipFromStringUnsafe(text)))
  if (addresses.length === 0) throw Refusal.unresolved
  // One address that is not public refuses the name: its owner may be steering it inwards.
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

/** Those of the proxy's own IP version first; others only where no exit address binds it to its own. */
const inOrder = (addresses: ReadonlyArray<NetAddress.IpAddress>, { exit_ip, ip_version }: Exit) => {
  const own = addresses.filter((address) => NetAddress.familyOf(address) === ip_version)
  const others = exit_ip === null ? addresses.filter((address) => !own.includes(address)) : []
  return [...own.slice(0, attemptsPerFamily), ...others.slice(0, attemptsPerFamily)]
}

/**
 * Connects to a destination a client named. The name is resolved once and the very addresses that
 * were checked are dialled, so a second answer of DNS cannot lead elsewhere. Fails with a `Refusal`.
 */
export const dial = async (host: string, port: number, exit: Exit, options: DialOptions): Promise<Socket> => {
  if (!(port >= 1 && port <= 65_535)) throw Refusal.badRequest("The destination's port is malformed")
  if (port === 25) throw Refusal.port
  const addresses = inOrder(await addressesOf(host, port, options), exit)
  if (addresses.length === 0) throw Refusal.family(exit.ip_version)
  const deadline = performance.now() + options.connectMillis
  let failure: unknown = Refusal.timeout
  for (const [index, address] of addresses.entries()) {
    // Each has its share of the time, so that a silent one does not keep the next from being tried.
    const millis = (deadline - performance.now()) / (addresses.length - index)
    if (millis <= 0) break
    try {
      return await connect(canonicalText(address), port, exit.exit_ip, millis)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}
