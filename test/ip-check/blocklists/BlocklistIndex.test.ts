import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { builder } from "../../../src/ip-check/blocklists/BlocklistIndex.ts"
import { wordsOf } from "../../../src/platform/outbound/AddressWords.ts"
import { sent } from "./BlocklistTesting.ts"

const indexOf = (networks: ReadonlyArray<string>) => {
  const distinct = [...new Set(networks)]
  const ipv6 = distinct.filter((network) => network.includes(":")).length
  const index = builder({ ipv4: distinct.length - ipv6, ipv6 })
  index.add(sent(distinct))
  return index.build()
}

const lookUp = (networks: ReadonlyArray<string>, ip: string) =>
  indexOf(networks).network(wordsOf(NetAddress.ipFromStringUnsafe(ip)))

/** Finds the expected answer by a linear search. */
const narrowest = (networks: ReadonlyArray<string>, address: NetAddress.IpAddress): string | null =>
  networks
    .map(IpNetwork.fromStringUnsafe)
    .filter((network) => IpNetwork.contains(network, address))
    .toSorted((a, b) => b.prefixLength - a.prefixLength)
    .map(IpNetwork.format)[0] ?? null

// Few distinct bits, so that networks nest, adjoin and repeat.
const Bits = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 63 }))
const Spread = Schema.Array(Schema.Tuple([Bits, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 32 }))]))
const ipv4 = (bits: number) => NetAddress.ipv4FromBytesUnsafe(Uint8Array.of(40 + (bits >> 4), bits & 12, 0, bits & 3))
const ipv6 = (bits: number) => {
  const bytes = new Uint8Array(16)
  bytes.set([0x20, bits >> 4, 0, 0, 0, bits & 12])
  bytes[15] = bits & 3
  return NetAddress.ipv6FromBytesUnsafe(bytes)
}

const nested = ["45.0.0.0/8", "45.1.0.0/16", "45.1.2.0/24", "45.1.2.3/32", "45.1.9.0/24", "46.0.0.1/32"]

describe("A blocklist index", () => {
  it.each([
    ["45.1.2.3", "45.1.2.3/32"],
    ["45.1.2.4", "45.1.2.0/24"],
    ["45.1.3.1", "45.1.0.0/16"],
    ["45.1.9.255", "45.1.9.0/24"],
    ["45.1.10.0", "45.1.0.0/16"],
    ["45.255.255.255", "45.0.0.0/8"],
    ["44.255.255.255", null],
    ["46.0.0.0", null],
    ["46.0.0.1", "46.0.0.1/32"],
    ["46.0.0.2", null],
    ["255.255.255.255", null],
    ["2d01:203::", null]
  ])("answers %s with the narrowest network: %s", (ip, network) => {
    assert.strictEqual(lookUp(nested, ip), network)
  })

  it("separates the address families, and compares all 128 bits of IPv6", () => {
    const networks = ["2a0e::/16", "2a0e:b107::/32", "2a0e:b107::1/128", "2a0e:b107:0:0:ffff::/80"]
    assert.strictEqual(lookUp(networks, "2a0e:b107::1"), "2a0e:b107::1/128")
    assert.strictEqual(lookUp(networks, "2a0e:b107::2"), "2a0e:b107::/32")
    assert.strictEqual(lookUp(networks, "2a0e:b107::ffff:0:0:1"), "2a0e:b107:0:0:ffff::/80")
    assert.strictEqual(lookUp(networks, "2a0e:ffff::"), "2a0e::/16")
    assert.strictEqual(lookUp(networks, "42.14.0.0"), null)
  })

  it("without networks contains no address", () => {
    assert.strictEqual(lookUp([], "45.1.2.3"), null)
    assert.strictEqual(lookUp([], "2a0e::1"), null)
  })

  it("is the same for every division into parts", () => {
    const bytes = sent(nested)
    const index = builder({ ipv4: nested.length, ipv6: 0 })
    for (let offset = 0; offset < bytes.length; offset += 8) index.add(bytes.subarray(offset, offset + 8))
    const built = index.build()
    assert.strictEqual(built.size, nested.length)
    assert.strictEqual(built.network(wordsOf(NetAddress.ipFromStringUnsafe("45.1.2.4"))), "45.1.2.0/24")
  })

  it.prop("answers like a search through all networks", [Spread], ([spread]) => {
    const networks = spread.flatMap(([bits, length]) => [
      IpNetwork.format(IpNetwork.fromAddressUnsafe(ipv4(bits), length)),
      IpNetwork.format(IpNetwork.fromAddressUnsafe(ipv6(bits), length * 4))
    ])
    const index = indexOf(networks)
    for (let bits = 0; bits < 64; bits += 1)
      for (const address of [ipv4(bits), ipv6(bits)])
        assert.strictEqual(index.network(wordsOf(address)), narrowest(networks, address))
  })
})
