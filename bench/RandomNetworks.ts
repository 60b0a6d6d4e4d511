/** Always the same numbers below 1 (mulberry32). */
export const seeded = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let word = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word
  return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32
}

type Random = ReturnType<typeof seeded>

const integer = (random: Random, from: number, to: number) => from + Math.floor(random() * (to - from + 1))

const masked = (words: ReadonlyArray<number>, length: number) =>
  words.map((word, index) => {
    const bits = Math.min(Math.max(length - index * 32, 0), 32)
    return bits === 0 ? 0 : (word & (-1 << (32 - bits))) >>> 0
  })

export interface Network {
  /** One word of 32 bits for IPv4, four for IPv6. */
  readonly words: ReadonlyArray<number>
  readonly length: number
}

const textOf = ({ length, words }: Network) => {
  const [first = 0] = words
  return words.length === 1
    ? `${first >>> 24}.${(first >>> 16) & 255}.${(first >>> 8) & 255}.${first & 255}/${length}`
    : `${words.flatMap((word) => [word >>> 16, word & 0xffff].map((part) => part.toString(16))).join(":")}/${length}`
}

/** Within public ranges that contain no special networks. */
const ipv4Address = (random: Random) => [((integer(random, 32, 95) << 24) | integer(random, 0, 2 ** 24 - 1)) >>> 0]
const ipv6Address = (random: Random) => [
  ((0x2a00 << 16) | integer(random, 0, 0xffff)) >>> 0,
  ...Array.from({ length: 3 }, () => integer(random, 0, 2 ** 32 - 1))
]

const ipv4 = (random: Random): Network => {
  const length = random() < 0.6 ? 32 : integer(random, 16, 31)
  return { words: masked(ipv4Address(random), length), length }
}

const ipv6 = (random: Random): Network => {
  const length = random() < 0.2 ? 128 : integer(random, 29, 64)
  return { words: masked(ipv6Address(random), length), length }
}

/** The texts of this many different networks. */
export const networks = (random: Random, counts: { readonly ipv4: number; readonly ipv6: number }) => {
  const found = new Map<string, Network>()
  const fill = (make: (random: Random) => Network, size: number) => {
    while (found.size < size) {
      const network = make(random)
      found.set(textOf(network), network)
    }
  }
  fill(ipv4, counts.ipv4)
  fill(ipv6, counts.ipv4 + counts.ipv6)
  return found
}

/** Addresses of both families in turn: anywhere in the same ranges, and as many inside the networks. */
export const addresses = (random: Random, within: ReadonlyArray<Network>, count: number) => {
  const families = [1, 4].map((size) => within.filter(({ words }) => words.length === size))
  return Array.from({ length: count }, (_, n) => {
    const family = families[n % 2] ?? []
    const network = family[integer(random, 0, family.length - 1)]
    if (network === undefined || n % 4 < 2) return n % 2 === 0 ? ipv4Address(random) : ipv6Address(random)
    const host = network.words.map(() => integer(random, 0, 2 ** 32 - 1))
    const kept = masked(host, network.length)
    return network.words.map((word, index) => (word | (host[index]! ^ kept[index]!)) >>> 0)
  })
}

/** The narrowest network of each address, found by comparing each address with each network. */
export const linear = (
  networks: ReadonlyMap<string, Network>,
  addresses: ReadonlyArray<ReadonlyArray<number>>
): ReadonlyArray<string | null> => {
  const found: Array<{ readonly text: string; readonly length: number } | null> = addresses.map(() => null)
  for (const size of [1, 4]) {
    const positions = addresses.flatMap((address, position) => (address.length === size ? [position] : []))
    const firsts = Int32Array.from(positions, (position) => addresses[position]![0]! | 0)
    for (const [text, { length, words }] of networks) {
      if (words.length !== size) continue
      const start = words[0]! | 0
      const mask = masked([0xffffffff], length)[0]! | 0
      for (let at = 0; at < firsts.length; at += 1) {
        if (((firsts[at]! ^ start) & mask) !== 0) continue
        const position = positions[at]!
        const isInside = masked(addresses[position]!, length).every((word, index) => word === words[index])
        if (isInside && length > (found[position]?.length ?? -1)) found[position] = { text, length }
      }
    }
  }
  return found.map((network) => network?.text ?? null)
}
