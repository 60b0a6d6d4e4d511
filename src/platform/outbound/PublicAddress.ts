import { Result, Schema, SchemaGetter } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { wordsOf } from "./AddressWords.ts"

/** IPv4 networks that are not public. */
const specialIpv4 = [
  "0.0.0.0/8", // this network, RFC 791
  "10.0.0.0/8", // private, RFC 1918
  "100.64.0.0/10", // carrier-grade NAT, RFC 6598
  "127.0.0.0/8", // loopback, RFC 1122
  "169.254.0.0/16", // link-local and cloud metadata, RFC 3927
  "172.16.0.0/12", // private, RFC 1918
  "192.0.0.0/24", // IETF protocol assignments, RFC 6890
  "192.0.2.0/24", // TEST-NET-1, RFC 5737
  "192.31.196.0/24", // AS112, RFC 7535
  "192.52.193.0/24", // AMT, RFC 7450
  "192.88.99.0/24", // 6to4 relay anycast, RFC 7526
  "192.168.0.0/16", // private, RFC 1918
  "192.175.48.0/24", // AS112, RFC 7534
  "198.18.0.0/15", // benchmarking, RFC 2544
  "198.51.100.0/24", // TEST-NET-2, RFC 5737
  "203.0.113.0/24", // TEST-NET-3, RFC 5737
  "224.0.0.0/4", // multicast, RFC 5771
  "240.0.0.0/4" // reserved and broadcast, RFC 1112
]

/** The only public IPv6 block; every address outside is special (RFC 4291, section 2.4). */
const globalIpv6 = "2000::/3"

/** IPv6 networks inside the public block that are not public. */
const specialIpv6 = [
  "2001::/23", // IETF protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, DRIP
  "2001:db8::/32", // documentation, RFC 3849
  "2002::/16", // 6to4, embeds an IPv4 address, RFC 3056
  "2620:4f:8000::/48", // AS112, RFC 7534
  "3fff::/20", // documentation, RFC 9637
  "3ffe::/16" // 6bone, returned, RFC 3701
]

/** Public addresses that a cloud host answers for its own guests (Azure's wire server). */
const internalServices = ["168.63.129.16/32"]

/** Returns the first 64 bits of an address as two words; no prefix above is longer. */
const words = (address: NetAddress.IpAddress): readonly [number, number] => {
  const [high = 0, low = 0] = wordsOf(address)
  return [high, low]
}

const mask = (bits: number): number => (bits <= 0 ? 0 : (-1 << (32 - Math.min(bits, 32))) >>> 0)

/**
 * Makes a predicate that is true when an address, given by its first words, is in one of the networks. They have the
 * address's family.
 */
const inside = (networks: ReadonlyArray<string>) => {
  const prefixes = networks.map(IpNetwork.fromStringUnsafe).map((network) => ({
    words: words(network.address),
    masks: [mask(network.prefixLength), mask(network.prefixLength - 32)] as const
  }))
  return ([high, low]: readonly [number, number]): boolean =>
    prefixes.some(({ masks, words }) => (high & masks[0]) >>> 0 === words[0] && (low & masks[1]) >>> 0 === words[1])
}

const isSpecialIpv4 = inside(specialIpv4)
const isGlobalIpv6 = inside([globalIpv6])
const isSpecialIpv6 = inside(specialIpv6)
const isInternalService = inside(internalServices)

/** True when an address is reachable on the public internet. An IPv4-mapped address counts as its IPv4 address. */
export const isPublic = (address: NetAddress.IpAddress): boolean => {
  const canonical = NetAddress.toCanonical(address)
  const leading = words(canonical)
  return NetAddress.isIpv4Address(canonical)
    ? !isSpecialIpv4(leading)
    : isGlobalIpv6(leading) && !isSpecialIpv6(leading)
}

/** True when a text is a public address. */
export const isPublicText = (text: string): boolean =>
  Result.match(NetAddress.ipFromString(text), { onFailure: () => false, onSuccess: isPublic })

/** True when the service may connect to an untrusted address. */
export const isDialable = (address: NetAddress.IpAddress): boolean => {
  const canonical = NetAddress.toCanonical(address)
  return isPublic(canonical) && !(NetAddress.isIpv4Address(canonical) && isInternalService(words(canonical)))
}

/** Writes an address in its canonical form: RFC 5952, and an IPv4-mapped address as its IPv4 address. */
export const canonicalText = (address: NetAddress.IpAddress): string =>
  NetAddress.formatIp(NetAddress.toCanonical(address))

/** The canonical form of an address that people wrote; undefined for any other text. */
export const canonicalAddress = (text: string): string | undefined =>
  Result.getOrUndefined(Result.map(NetAddress.ipFromString(text), canonicalText))

const parsed = Schema.makeFilter((text: string) =>
  Result.match(NetAddress.ipFromString(text), {
    onFailure: () => "must be an IPv4 or IPv6 address",
    onSuccess: (address) => isPublic(address) || "must be publicly routable"
  })
)

/** A publicly routable IPv4 or IPv6 address. Accepts any spelling and keeps the canonical one. */
export const PublicIp = Schema.String.check(parsed).pipe(
  Schema.decodeTo(Schema.String.pipe(Schema.brand("PublicIp")), {
    decode: SchemaGetter.transform((text) => canonicalText(NetAddress.ipFromStringUnsafe(text))),
    encode: SchemaGetter.passthrough()
  })
)
export type PublicIp = typeof PublicIp.Type
