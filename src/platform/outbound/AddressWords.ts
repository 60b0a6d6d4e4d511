import { NetAddress } from "effect/net"

/** Splits an address into 32-bit words: one for IPv4, four for IPv6. */
export const wordsOf = (address: NetAddress.IpAddress): ReadonlyArray<number> => {
  if (NetAddress.isIpv4Address(address)) {
    const [a, b, c, d] = NetAddress.ipv4ToOctets(address)
    return [((a << 24) | (b << 16) | (c << 8) | d) >>> 0]
  }
  const [a, b, c, d, e, f, g, h] = NetAddress.ipv6ToSegments(address)
  return [((a << 16) | b) >>> 0, ((c << 16) | d) >>> 0, ((e << 16) | f) >>> 0, ((g << 16) | h) >>> 0]
}
