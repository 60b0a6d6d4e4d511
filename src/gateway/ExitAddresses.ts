import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { isIP } from "node:net"
import { canonical, interfaceAddresses } from "../platform/outbound/OwnAddresses.ts"
import { isPublic } from "../platform/outbound/PublicAddress.ts"
import type { GatewayProxy } from "./GatewayProxy.ts"

const familyOf = (ip: string) => (isIP(ip) === 6 ? "IPv6" : "IPv4")

/** True for an address that only this machine reaches. */
export const isLoopback = (ip: string): boolean => ip.startsWith("127.") || ip === "::1"

/** The addresses of a provider's NAT (RFC 6598). */
const carrierNat = IpNetwork.fromStringUnsafe("100.64.0.0/10")

/** Says, after `is`, why destinations cannot see a private or link-local address. Undefined for another address. */
export const hiddenExit = (ip: string): string | undefined => {
  const address = NetAddress.toCanonical(NetAddress.ipFromStringUnsafe(ip))
  if (NetAddress.isLinkLocal(address)) return "a link-local address, from which proxies cannot leave their own network"
  if (NetAddress.isIpv6Address(address))
    return NetAddress.isUniqueLocal(address)
      ? "a private address, from which proxies cannot leave your own network"
      : undefined
  return NetAddress.isPrivate(address) || IpNetwork.contains(carrierNat, address)
    ? "a private address, so destinations see another address"
    : undefined
}

/** Says why the machine's own address cannot be sold as several goods, such as `DE mobile`. Undefined for one. */
export const sharedMachine = (goods: ReadonlyArray<string>): string | undefined =>
  goods.length < 2
    ? undefined
    : `The proxies of ${goods.join(", ")} leave from the machine's own address, which has one country and one kind; give each a pool with addresses of its own (docs/shop.md)`

/** Says that a pool sells addresses from which the proxies of `goods`, of a pool of the machine, leave too. */
export const soldTwice = (ips: ReadonlyArray<string>, goods: ReadonlyArray<string>): string =>
  `The proxies of ${goods.join(", ")} leave from the machine's own address, which a pool sells too: ${ips.join(", ")}. An address belongs to one pool; remove it from the list of addresses, or give ${goods.join(", ")} a pool with other addresses (docs/shop.md)`

/** True when traffic from an interface's address can reach the internet: the address is public, or an IPv4 address behind NAT. */
const leadsOut = (ip: string) =>
  Result.match(NetAddress.ipFromString(ip), {
    onFailure: () => false,
    onSuccess: (address) => isPublic(address) || (isIP(ip) === 4 && !isLoopback(ip) && !NetAddress.isLinkLocal(address))
  })

/** The host that customers connect to, when it is an address, and the addresses of interfaces, which lead out. */
const leavingFrom = (host: string, interfaces: ReadonlyArray<string>) =>
  [...(isIP(host) === 0 ? [] : [host]), ...interfaces].filter(leadsOut)

const versions = ["IPv4", "IPv6"] as const

/**
 * Finds the addresses from which proxies without an exit address leave: the host that customers connect to, when it is an
 * address, and for each IP version the first address of an interface.
 */
export const ownAddresses = (host: string, interfaces = interfaceAddresses()): ReadonlyArray<string> => {
  const first = versions.flatMap((version) => leavingFrom("", interfaces).find((ip) => familyOf(ip) === version) ?? [])
  return [...new Set([...leavingFrom(host, []), ...first].map(canonical))]
}

/** Finds the IP versions over which proxies without an exit address cannot leave. */
export const missingVersions = (
  wanted: ReadonlyArray<GatewayProxy["ip_version"]>,
  host: string,
  interfaces = interfaceAddresses()
): ReadonlyArray<GatewayProxy["ip_version"]> => {
  const own = new Set(leavingFrom(host, interfaces).map(familyOf))
  return versions.filter((version) => wanted.includes(version) && !own.has(version))
}

/**
 * Finds the address of an IP version that destinations see for a proxy without an exit address: the host that customers
 * connect to, when it is an address; else an address of an interface. Behind NAT, destinations may see another address.
 * Null: unknown, or the machine has none.
 */
export const ownAddress = (
  host: string,
  ip_version: GatewayProxy["ip_version"],
  interfaces = interfaceAddresses()
): string | null => {
  const isOfVersion = (ip: string) => isIP(ip) !== 0 && familyOf(ip) === ip_version
  return leavingFrom(host, interfaces).find(isOfVersion) ?? (isOfVersion(host) ? host : null)
}

/**
 * Finds the exit addresses that no interface of this machine holds: proxies cannot connect from them. The system holds
 * every loopback address.
 */
export const missingExits = (
  exits: ReadonlyArray<string>,
  interfaces = interfaceAddresses()
): ReadonlyArray<string> => {
  const held = new Set(interfaces.map(canonical))
  return exits.filter((ip) => !held.has(ip) && !isLoopback(ip))
}
