import { NetAddress } from "effect/net"

const ipv4 = 1
const name = 3
const ipv6 = 4

/** A datagram with its destination, or with its sender. */
interface Datagram {
  readonly host: string
  readonly port: number
  readonly data: Buffer
}

const addressOf = (message: Buffer): { readonly host: string; readonly end: number } | undefined => {
  const type = message[3]
  if (type === ipv4)
    return { host: NetAddress.formatIp(NetAddress.ipv4FromBytesUnsafe(message.subarray(4, 8))), end: 8 }
  if (type === ipv6)
    return { host: NetAddress.formatIp(NetAddress.ipv6FromBytesUnsafe(message.subarray(4, 20))), end: 20 }
  const length = message[4] ?? 0
  return type === name && length > 0 ? { host: message.toString("latin1", 5, 5 + length), end: 5 + length } : undefined
}

/** The shortest header of each type of address. */
const shortest: Readonly<Record<number, number>> = { [ipv4]: 10, [name]: 8, [ipv6]: 22 }

/** Reads a datagram of a client (RFC 1928, section 7). Undefined: it is malformed, or a fragment. */
export const readDatagram = (message: Buffer): Datagram | undefined => {
  const least = shortest[message[3] ?? 0]
  if (least === undefined || message.length < least || message.readUInt16BE() !== 0 || message[2] !== 0)
    return undefined
  const address = addressOf(message)
  if (address === undefined || message.length < address.end + 2) return undefined
  return { host: address.host, port: message.readUInt16BE(address.end), data: message.subarray(address.end + 2) }
}

/** Writes an address and a port as SOCKS5 does (RFC 1928, section 5). */
export const writeAddress = (host: string, port: number): ReadonlyArray<number> => {
  const ip = NetAddress.toCanonical(NetAddress.ipFromStringUnsafe(host))
  const bytes = NetAddress.isIpv4Address(ip)
    ? [ipv4, ...NetAddress.ipv4ToOctets(ip)]
    : [ipv6, ...NetAddress.ipv6ToOctets(ip)]
  return [...bytes, port >> 8, port & 255]
}

/** Writes a datagram for a client. `host` is the address of its sender. */
export const writeDatagram = ({ data, host, port }: Datagram): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0, ...writeAddress(host, port)]), data])
