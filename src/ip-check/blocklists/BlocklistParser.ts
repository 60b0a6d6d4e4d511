import { Result, Schema } from "effect"
import { IpInterface, IpNetwork, NetAddress } from "effect/net"
import { isPublic } from "../../platform/outbound/PublicAddress.ts"
import type { BlocklistFormat } from "./Blocklist.ts"

/** The result of reading lines. */
export interface ReadLines {
  /** Canonical networks in CIDR notation, with duplicates. */
  readonly networks: ReadonlyArray<string>
  /** The number of networks that were left out because they are not public. */
  readonly special: number
  /** The number of lines that do not have the format. */
  readonly unreadable: number
}

const firstWord = /^[^\s#;]*/

const SpamhausLine = Schema.Union([
  Schema.Struct({ cidr: Schema.String }),
  Schema.Struct({ type: Schema.Literal("metadata") })
])
const decodeSpamhaus = Schema.decodeUnknownResult(Schema.fromJsonString(SpamhausLine))

/** Finds the address or network of a line. Null: the line has none, such as a comment. Undefined: the line is unreadable. */
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

/** The shortest valid prefix length. No organisation holds a broader network, so a broader one is an error of the list. */
const broadest = (address: NetAddress.IpAddress) => (NetAddress.isIpv4Address(address) ? 8 : 16)

const networkOf = (text: string): "special" | "unreadable" | IpNetwork.IpNetwork => {
  const parsed = IpInterface.fromString(text)
  if (Result.isFailure(parsed)) return "unreadable"
  const network = IpNetwork.fromInterface(parsed.success)
  const { address, prefixLength } = network
  if (NetAddress.isIpv6Address(address) && NetAddress.isIpv4Mapped(address)) return "unreadable"
  // A network that is partly public is kept: nobody can ask about its private addresses.
  if (!isPublic(address) && !isPublic(IpNetwork.lastAddress(network))) return "special"
  return prefixLength < broadest(address) ? "unreadable" : network
}

/** Reads lines of a list. Leaves out networks that are not public, which lists of bogons contain. */
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
