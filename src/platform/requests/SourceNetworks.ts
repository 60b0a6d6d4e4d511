import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { limitedPart } from "./ClientAddress.ts"

/** Networks that one client can hold: the smallest one that internet providers assign, and the next larger one. */
export interface SourceNetworks {
  /** An IPv4 address, or an IPv6 /64. */
  readonly source: string
  /** An IPv4 /24, or an IPv6 /48. */
  readonly network: string
}

const networkOf = (address: string, bits: number): string =>
  Result.match(NetAddress.ipFromString(address), {
    onFailure: () => address,
    onSuccess: (ip) => IpNetwork.format(IpNetwork.fromAddressUnsafe(ip, bits))
  })

/** Finds the networks of a socket's peer address, without the zone of a link-local address. */
export const networksOf = (peer: string): SourceNetworks => {
  const [address = ""] = peer.split("%", 1)
  return { source: limitedPart(address), network: networkOf(address, address.includes(":") ? 48 : 24) }
}
