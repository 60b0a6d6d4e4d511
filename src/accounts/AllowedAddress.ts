import { Option, Result, Schema, SchemaGetter } from "effect"
import { IpInterface, IpNetwork, NetAddress } from "effect/net"
import { isLength } from "../platform/fields/Text.ts"

/** Parses an address as a network of one address. Reads an IPv4-mapped IPv6 address as IPv4. */
const parse = (text: string): Option.Option<IpInterface.IpInterface> =>
  Option.map(Result.getSuccess(IpInterface.fromString(text, { prefix: "optional" })), ({ address, prefixLength }) => {
    const plain = NetAddress.toCanonical(address)
    const dropped = NetAddress.width(address) - NetAddress.width(plain)
    return prefixLength < dropped
      ? IpInterface.makeUnsafe(address, prefixLength)
      : IpInterface.makeUnsafe(plain, prefixLength - dropped)
  })

const format = (network: IpNetwork.IpNetwork): string =>
  network.prefixLength === NetAddress.width(network.address)
    ? NetAddress.formatIp(network.address)
    : IpNetwork.format(network)

const fault = (text: string) =>
  Option.match(parse(text), {
    onNone: () => "must be an IP address or a CIDR network",
    onSome: (given) => {
      const network = IpNetwork.fromInterface(given)
      return (
        NetAddress.formatIp(network.address) === NetAddress.formatIp(given.address) ||
        `has host bits set; its network is ${IpNetwork.format(network)}`
      )
    }
  })

/** An IPv4 or IPv6 address, or a CIDR network, in canonical form. */
export const AllowedAddress = Schema.String.check(isLength(0, 64), Schema.makeFilter(fault)).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text) =>
      Option.match(parse(text), { onNone: () => text, onSome: (given) => format(IpNetwork.fromInterface(given)) })
    ),
    encode: SchemaGetter.transform((text) => text)
  })
)

/** True for the text of an address or of a network. */
export const isAllowedAddress = (text: string): boolean => fault(text) === true

/** True when a client address lies in one of the networks. */
export const includes = (allowed: ReadonlyArray<string>, client: string): boolean =>
  Option.match(Result.getSuccess(NetAddress.ipFromString(client)), {
    onNone: () => false,
    onSome: (address) =>
      allowed.some((text) =>
        Option.exists(parse(text), (given) =>
          IpNetwork.contains(IpNetwork.fromInterface(given), NetAddress.toCanonical(address))
        )
      )
  })
