import { Effect, Stream } from "effect"
import { NetAddress } from "effect/net"

/** An address as 32-bit words: one for IPv4, four for IPv6. */
type Words = ArrayLike<number>

/** The networks of one address family, sorted by first address; of equal ones, the broader network comes first. */
interface Networks {
  /** The number of 32-bit words of an address. */
  readonly words: number
  size: number
  /**
   * For each network: the words of its first address, then one word with its prefix length in the lower 8 bits. The upper
   * bits contain the position of the narrowest network around it plus 1, or 0.
   */
  readonly entries: Uint32Array
  /** For each part of the address space, the number of networks that begin before it. There are about as many parts as networks. */
  readonly before: Uint32Array
  /** The number of parts that `before` already covers. */
  parts: number
  /** The first word of an address, shifted right by this, is the index of its part. */
  readonly shift: number
}

const parentBits = 8
const maxNetworks = 2 ** (32 - parentBits) - 1

const allocate = (words: number, count: number): Networks => {
  if (count > maxNetworks) throw new RangeError(`A blocklist has more than ${maxNetworks} networks`)
  const shift = Math.clz32(count)
  return {
    words,
    size: 0,
    entries: new Uint32Array(count * (words + 1)),
    before: new Uint32Array(2 ** (32 - shift) + 1),
    parts: 0,
    shift
  }
}

const lengthOf = ({ entries, words }: Networks, entry: number): number => entries[entry * (words + 1) + words]! & 0xff

/** The narrowest network around a network; -1: none. */
const parentOf = ({ entries, words }: Networks, entry: number): number =>
  (entries[entry * (words + 1) + words]! >>> parentBits) - 1

const holds = (networks: Networks, entry: number, address: Words): boolean => {
  const start = entry * (networks.words + 1)
  let bits = lengthOf(networks, entry)
  for (let word = 0; bits > 0; word += 1, bits -= 32) {
    const differs = (networks.entries[start + word]! ^ address[word]!) >>> 0
    if ((bits >= 32 ? differs : differs >>> (32 - bits)) !== 0) return false
  }
  return true
}

/** Searches from `entry` outwards for the first network that contains the address; -1: none. */
const narrowestAround = (networks: Networks, entry: number, address: Words): number => {
  let network = entry
  while (network >= 0 && !holds(networks, network, address)) network = parentOf(networks, network)
  return network
}

const beginsAfter = ({ entries, words }: Networks, entry: number, address: Words): boolean => {
  for (let word = 0; word < words; word += 1) {
    const start = entries[entry * (words + 1) + word]!
    if (start !== address[word]!) return start > address[word]!
  }
  return false
}

/** JavaScript ignores a shift by 32, so that case is handled separately. */
const partOf = ({ shift }: Networks, word: number): number => (shift === 32 ? 0 : word >>> shift)

/** The narrowest network that contains the address; -1: none. */
const find = (networks: Networks, address: Words): number => {
  const part = partOf(networks, address[0]!)
  let low = networks.before[part]!
  let high = networks.before[part + 1]!
  while (low < high) {
    const middle = (low + high) >>> 1
    if (beginsAfter(networks, middle, address)) high = middle
    else low = middle + 1
  }
  return narrowestAround(networks, low - 1, address)
}

/** Completes `before` up to this part: no later network begins before it. */
const reach = (networks: Networks, part: number) => {
  networks.before.fill(networks.size, networks.parts, part + 1)
  networks.parts = part + 1
}

/** Adds the next network, in the order of the database: by first address, the broader network first. */
const append = (networks: Networks, address: Uint32Array, length: number) => {
  const { entries, parts, size, words } = networks
  const part = partOf(networks, address[0]!)
  if (part >= parts) reach(networks, part)
  const start = size * (words + 1)
  entries.set(address, start)
  entries[start + words] = ((narrowestAround(networks, size - 1, address) + 1) << parentBits) | length
  networks.size = size + 1
}

const format = (networks: Networks, entry: number): string => {
  const { entries, words } = networks
  const start = entry * (words + 1)
  const length = lengthOf(networks, entry)
  if (words === 1) {
    const address = entries[start]!
    return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}/${length}`
  }
  const bytes = new Uint8Array(words * 4)
  const view = new DataView(bytes.buffer)
  for (let word = 0; word < words; word += 1) view.setUint32(word * 4, entries[start + word]!)
  return `${NetAddress.formatIp(NetAddress.ipv6FromBytesUnsafe(bytes))}/${length}`
}

/** Looks up addresses in the networks of a list. */
export interface BlocklistIndex {
  readonly size: number
  /** The narrowest network that contains the address, in CIDR notation. Null: none. */
  readonly network: (address: Words) => string | null
}

/** The number of networks of each address family. */
export interface NetworkCounts {
  readonly ipv4: number
  readonly ipv6: number
}

/** Builds an index from the sorted networks of a list. */
export interface BlocklistIndexBuilder {
  /**
   * Adds the next networks, in PostgreSQL's order and in the format of `cidr_send`. All calls together add exactly the
   * counted number.
   */
  readonly add: (networks: Uint8Array) => void
  readonly build: () => BlocklistIndex
}

/** The bytes before each address: family, prefix length, `cidr` flag, length of the address. */
const headBytes = 4
const ipv4Family = 2

/**
 * Makes a builder for this number of networks. It takes the networks in several calls, so that a large list does not block
 * the process. A look-up is a binary search, in the part of the address, for the last network that does not begin after the
 * address. That network, or one around it, is the answer.
 */
export const builder = (counts: NetworkCounts): BlocklistIndexBuilder => {
  const ipv4 = allocate(1, counts.ipv4)
  const ipv6 = allocate(4, counts.ipv6)
  // Reused for every network, because garbage collection of one array per network would delay requests.
  const addresses = { ipv4: new Uint32Array(1), ipv6: new Uint32Array(4) }
  return {
    add: (networks) => {
      const bytes = new DataView(networks.buffer, networks.byteOffset, networks.byteLength)
      for (let offset = 0; offset < networks.length;) {
        const isIpv4 = networks[offset] === ipv4Family
        const length = networks[offset + 1]!
        const address = isIpv4 ? addresses.ipv4 : addresses.ipv6
        offset += headBytes
        for (let word = 0; word < address.length; word += 1, offset += 4) address[word] = bytes.getUint32(offset)
        append(isIpv4 ? ipv4 : ipv6, address, length)
      }
    },
    build: () => {
      for (const family of [ipv4, ipv6]) reach(family, family.before.length - 1)
      return {
        size: ipv4.size + ipv6.size,
        network: (address) => {
          const family = address.length === 1 ? ipv4 : ipv6
          const entry = find(family, address)
          return entry === -1 ? null : format(family, entry)
        }
      }
    }
  }
}

/** The index of a list that is not loaded. */
export const empty: BlocklistIndex = builder({ ipv4: 0, ipv6: 0 }).build()

/** Some networks of a list, in the format of the builder, and the counts of the whole list. */
export interface BlocklistPart extends NetworkCounts {
  readonly networks: Uint8Array
}

/** Builds the index of a list from its parts. Yields to the event loop after each part. */
export const fromParts = <E, R>(parts: Stream.Stream<BlocklistPart, E, R>): Effect.Effect<BlocklistIndex, E, R> =>
  parts.pipe(
    Stream.runFoldEffect(
      (): BlocklistIndexBuilder | null => null,
      (begun, { networks, ...counts }) => {
        const index = begun ?? builder(counts)
        index.add(networks)
        return Effect.as(Effect.yieldNow, index)
      }
    ),
    Effect.map((index) => index?.build() ?? empty)
  )
