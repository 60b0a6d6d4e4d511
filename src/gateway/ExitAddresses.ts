import { Result } from "effect"
import { NetAddress } from "effect/net"
import { isIP } from "node:net"
import { canonical, interfaceAddresses } from "../platform/outbound/OwnAddresses.ts"
import { isPublic } from "../platform/outbound/PublicAddress.ts"
import type { GatewayProxy } from "./GatewayProxy.ts"

const familyOf = (ip: string) => (isIP(ip) === 6 ? "IPv6" : "IPv4")

/** True for an address that only this machine reaches. */
export const isLoopback = (ip: string): boolean => ip.startsWith("127.") || ip === "::1"

/** Says why the machine's own address cannot be sold as several goods, such as `DE mobile`. Undefined for one. */
export const sharedMachine = (goods: ReadonlyArray<string>): string | undefined =>
  goods.length < 2
    ? undefined
    : `The proxies of ${goods.join(", ")} leave from the machine's own address, which has one country and one kind; give each a pool with addresses of its own (docs/shop.md)`

/** True when traffic from an interface's address can reach the internet: the address is public, or an IPv4 address behind NAT. */
const leadsOut = (ip: string) =>
  Result.match(NetAddress.ipFromString(ip), {
    onFailure: () => false,
    onSuccess: (address) => isPublic(address) || (isIP(ip) === 4 && !isLoopback(ip))
  })

/**
 * Finds the address that destinations see for a proxy without an exit address: the host that customers connect to, when it
 * is an address; else an address of an interface. Behind NAT, destinations may see another address. Null: unknown.
 */
export const ownAddress = (
  host: string,
  ip_version: GatewayProxy["ip_version"],
  interfaces = interfaceAddresses()
): string | null => {
  const addresses = [...(isIP(host) === 0 ? [] : [host]), ...interfaces].filter(leadsOut)
  const own = addresses.find((ip) => familyOf(ip) === ip_version) ?? addresses[0]
  return own ?? (isIP(host) === 0 ? null : host)
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
