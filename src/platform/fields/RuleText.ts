import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

/** Reads `example.com`, also from `*.example.com` and `Example.com.`; an address belongs into a network. */
export const hostOf = (text: string): Option.Option<string> => {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/^\*?\./, "")
    .replace(/\.$/, "")
  return hostName.test(name) && Result.isFailure(NetAddress.ipFromString(name)) ? Option.some(name) : Option.none()
}

const mappedBits = 96

/** Writes a network of IPv4-mapped addresses as IPv4, because rules compare the canonical addresses of destinations. */
const canonicalNetwork = (network: IpNetwork.IpNetwork): IpNetwork.IpNetwork => {
  const { address, prefixLength } = network
  const canonical = NetAddress.toCanonical(address)
  const isMapped = NetAddress.width(canonical) < NetAddress.width(address)
  return isMapped && prefixLength >= mappedBits
    ? IpNetwork.fromAddressUnsafe(canonical, prefixLength - mappedBits)
    : network
}

/** Reads `203.0.113.0/24`, or an address, which is a network of its own. */
export const networkOf = (text: string): Option.Option<string> => {
  const network = text.includes("/")
    ? IpNetwork.fromString(text)
    : Result.map(NetAddress.ipFromString(text), (ip) => IpNetwork.fromAddressUnsafe(ip, NetAddress.width(ip)))
  return Option.map(Result.getSuccess(network), (read) => IpNetwork.format(canonicalNetwork(read)))
}

/** Reads a port, or a range such as `6660-6669`. */
export const portsOf = (text: string): Option.Option<{ readonly first_port: number; readonly last_port: number }> => {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text.trim()) ?? []
  const range = { first_port: Number(first), last_port: Number(last) }
  return range.first_port >= 1 && range.first_port <= range.last_port && range.last_port <= 65_535
    ? Option.some(range)
    : Option.none()
}
