import { assert, describe, it } from "@effect/vitest"
import { ownAddress } from "../../src/gateway/ExitAddresses.ts"

describe("ExitAddresses", () => {
  it("takes the address that customers connect to, else an interface's address that reaches the internet", () => {
    const interfaces = ["127.0.0.1", "::1", "fe80::1", "fd00::2", "192.168.1.5", "2606:4700::7"]
    const cases = [
      ["9.9.9.9", "IPv4", "9.9.9.9"],
      ["9.9.9.9", "IPv6", "2606:4700::7"],
      ["gateway.test", "IPv4", "192.168.1.5"],
      ["127.0.0.1", "IPv4", "192.168.1.5"]
    ] as const
    for (const [host, ip_version, expected] of cases)
      assert.strictEqual(ownAddress(host, ip_version, interfaces), expected, `${host} ${ip_version}`)
    assert.strictEqual(ownAddress("127.0.0.1", "IPv6", ["127.0.0.1", "192.168.1.5"]), "192.168.1.5")
    assert.strictEqual(ownAddress("127.0.0.1", "IPv4", ["127.0.0.1"]), "127.0.0.1")
    assert.isNull(ownAddress("gateway.test", "IPv4", ["127.0.0.1"]))
  })
})
