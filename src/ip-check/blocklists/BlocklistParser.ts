import { Result, Schema } from "effect"
import { IpInterface, IpNetwork, NetAddress } from "effect/net"
import { isPublic } from "../../platform/outbound/PublicAddress.ts"
import type { BlocklistFormat } from "./Blocklist.ts"

export interface ReadLines {
  /** Canonical ranges in CIDR notation; one may be there twice. */
  readonly networks: ReadonlyArray<string>
  /** How many were left out because they are not public. */
  readonly special: number
  /** How many lines are not what the format says. */
  readonly unreadable: number
}

const firstWord = /^[^\s#;]*/

const SpamhausLine = Schema.Union([
  Schema.Struct({ cidr: Schema.String }),
  Schema.Struct({ type: Schema.Literal("metadata") })
])
const decodeSpamhaus = Schema.decodeUnknownResult(Schema.fromJsonString(SpamhausLine))

/** The text of the address or range on a line; null when there is none to be, undefined when the line is unreadable. */
const textOn: Record<BlocklistFormat, (line: string) => string | null | undefined> = {
  networks: (line) => firstWord.exec(line)?.[0] || null,
  spamhaus: (line) =>
    Result.match(decodeSpamhaus(line), {
      onFailure: () => undefined,
      onSuccess: (entry) => ("cidr" in entry ? entry.cidr : null)
    }),
  tor: (line) => {
    const [word, address] = line.split(/\s+/)
    if (word === "ExitAddress") return address
    return word === "ExitNode" || word === "Published" || word === "LastStatus" ? null : undefined
  }
}

/** Nobody holds more than this: a broader range is a fault of the list. */
const broadest = (address: NetAddress.IpAddress) => (NetAddress.isIpv4Address(address) ? 8 : 16)

const networkOf = (text: string): "special" | "unreadable" | IpNetwork.IpNetwork => {
  const parsed = IpInterface.fromString(text)
  if (Result.isFailure(parsed)) return "unreadable"
  const network = IpNetwork.fromInterface(parsed.success)
  const { address, prefixLength } = network
  if (NetAddress.isIpv6Address(address) && NetAddress.isIpv4Mapped(address)) return "unreadable"
  // Of a range that is public in part, what is not is never asked about.
  if (!isPublic(address) && !isPublic(IpNetwork.lastAddress(network))) return "special"
  return prefixLength < broadest(address) ? "unreadable" : network
}

/** Reads lines of a list; ranges that are not public are left out, for lists of bogons have them. */
export const read = (format: BlocklistFormat, lines: ReadonlyArray<string>): ReadLines => {
  const networks: Array<string> = []
  let special = 0
  let unreadable = 0
  for (const line of lines) {
    const trimmed = line.trim()
    const text = trimmed === "" ? null : textOn[format](trimmed)
    if (text === null) continue
    const network = text === undefined ? "unreadable" : networkOf(text)
    if (network === "unreadable") unreadable += 1
    else if (network === "special") special += 1
    else networks.push(IpNetwork.format(network))
  }
  return { networks, special, unreadable }
}
