import { Result } from "effect"
import { NetAddress } from "effect/net"
import { isIP } from "node:net"
import { canonical, interfaceAddresses } from "../platform/outbound/OwnAddresses.ts"
import { isPublic } from "../platform/outbound/PublicAddress.ts"
import type { GatewayProxy } from "./GatewayProxy.ts"

const familyOf = (ip: string) => (isIP(ip) === 6 ? "IPv6" : "IPv4")

/** True when traffic from an interface's address can reach the internet: the address is public, or an IPv4 address behind NAT. */
const leadsOut = (ip: string) =>
  Result.match(NetAddress.ipFromString(ip), {
    onFailure: () => false,
    onSuccess: (address) => isPublic(address) || (isIP(ip) === 4 && !ip.startsWith("127."))
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

/** Finds the exit addresses that no interface of this machine holds: proxies cannot connect from them. */
export const missingExits = (
  exits: ReadonlyArray<string>,
  interfaces = interfaceAddresses()
): ReadonlyArray<string> => {
  const held = new Set(interfaces.map(canonical))
  return exits.filter((ip) => !held.has(ip) && !ip.startsWith("127."))
}
