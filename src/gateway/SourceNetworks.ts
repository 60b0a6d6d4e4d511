import { isIPv6 } from "node:net"

/** The first groups of a canonical IPv6 address, `::` written out. */
const groups = (address: string, count: number): string => {
  const [head = "", tail] = address.split("%", 1)[0]!.split("::")
  const before = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0")
  return [...before, ...zeros, ...after].slice(0, count).join(":")
}

/** What one party can hold of addresses: the smallest network that is given to somebody, and the next wider one. */
export interface SourceNetworks {
  /** An IPv4 address, or an IPv6 /64. */
  readonly source: string
  /** An IPv4 /24, or an IPv6 /48. */
  readonly network: string
}

export const networksOf = (address: string): SourceNetworks =>
  isIPv6(address)
    ? { source: `${groups(address, 4)}::/64`, network: `${groups(address, 3)}::/48` }
    : { source: address, network: `${address.slice(0, address.lastIndexOf("."))}.0/24` }
