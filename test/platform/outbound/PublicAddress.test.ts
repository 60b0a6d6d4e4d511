import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import { NetAddress } from "effect/net"
import { canonicalText, isDialable, isPublic, PublicIp } from "../../../src/platform/outbound/PublicAddress.ts"

const ip = NetAddress.ipFromStringUnsafe
const decode = Schema.decodeUnknownResult(PublicIp)

/** The first and the last address of each special block, and the addresses next to them. */
const refused = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.169.254", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.170", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.31.196.0", "192.31.196.255"],
  ["192.52.193.0", "192.52.193.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["192.175.48.0", "192.175.48.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255"],
  ["::", "::1", "::2", "::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1", "100:0:0:1::1"],
  ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:7f00:1", "::ffff:0:8.8.8.8"],
  ["2001::", "2001:0:1::1", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:2::1", "2001:20::1"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2002::1", "2002:808:808::1", "2002:ffff::"],
  ["2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff::", "3ffe::1"],
  ["1fff:ffff::", "4000::", "4000::1", "5f00::1", "fc00::1", "fdff::1", "fe80::1", "fec0::1", "ff02::1"]
].flat()

const accepted = [
  ["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"],
  ["169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.31.195.255"],
  ["192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0"],
  ["198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8", "::ffff:8.8.8.8"],
  ["2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::1", "2606:4700:4700::1111", "2620:4f:7fff::1"],
  ["2620:4f:8001::1", "3ffd::1", "3fff:1000::", "2a00:1450::1"]
].flat()

describe("PublicAddress", () => {
  it.each(refused)("%s is not public", (text) => {
    assert.isFalse(isPublic(ip(text)))
    assert.isFalse(isDialable(ip(text)))
  })

  it.each(accepted)("%s is public", (text) => {
    assert.isTrue(isPublic(ip(text)))
    assert.isTrue(isDialable(ip(text)))
  })

  it.each(["168.63.129.16", "::ffff:168.63.129.16"])("%s is public, but the service never connects to it", (text) => {
    assert.isTrue(isPublic(ip(text)))
    assert.isFalse(isDialable(ip(text)))
  })

  it.prop("an IPv4-mapped address counts as its IPv4 address", [Schema.Uint8Array], ([bytes]) => {
    const octets = Uint8Array.of(...Array.from({ length: 4 }, (_, index) => bytes[index] ?? 0))
    const plain = NetAddress.ipv4FromBytesUnsafe(octets)
    const mapped = NetAddress.toIpv4Mapped(plain)
    assert.strictEqual(isPublic(mapped), isPublic(plain))
    assert.strictEqual(isDialable(mapped), isDialable(plain))
    assert.strictEqual(canonicalText(mapped), octets.join("."))
  })

  it.each([
    ["2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["2606:4700:4700::001", "2606:4700:4700::1"],
    ["::ffff:8.8.8.8", "8.8.8.8"]
  ])("writes %s as %s", (text, canonical) => {
    assert.strictEqual(canonicalText(ip(text)), canonical)
  })

  it("reads a public address into its canonical text", () => {
    assert.deepStrictEqual(
      Option.map(Result.getSuccess(decode("2606:4700:4700:0:0:0:0:1111")), String),
      Option.some("2606:4700:4700::1111")
    )
  })

  it.each([
    "",
    "8.8.8",
    "8.8.8.08",
    "0x7f.1",
    "2130706433",
    "127.1",
    "fe80::1%eth0",
    "[2606::1]",
    "8.8.8.8 ",
    "10.0.0.1"
  ])("refuses %j as a public address", (text) => {
    assert.isTrue(Result.isFailure(decode(text)))
  })
})
