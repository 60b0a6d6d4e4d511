import { assert, describe, it } from "@effect/vitest"
import { hiddenExit, missingVersions, ownAddress, ownAddresses } from "../../src/gateway/ExitAddresses.ts"

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
    assert.strictEqual(ownAddress("127.0.0.1", "IPv4", ["127.0.0.1"]), "127.0.0.1")
    assert.isNull(ownAddress("gateway.test", "IPv4", ["127.0.0.1", "169.254.7.7"]))
  })

  it("knows no address of an IP version that the machine lacks", () => {
    const interfaces = ["127.0.0.1", "::1", "fe80::1", "192.168.1.5"]
    for (const host of ["9.9.9.9", "gateway.test", "127.0.0.1"]) {
      assert.isNull(ownAddress(host, "IPv6", interfaces), host)
      assert.deepStrictEqual(missingVersions(["IPv6", "IPv4"], host, interfaces), ["IPv6"])
    }
    assert.isNull(ownAddress("127.0.0.1", "IPv6", ["127.0.0.1"]))
    assert.deepStrictEqual(missingVersions(["IPv4"], "gateway.test", ["2606:4700::7"]), ["IPv4"])
    assert.deepStrictEqual(missingVersions(["IPv4", "IPv6"], "2606:4700::9", interfaces), [])
    assert.deepStrictEqual(missingVersions(["IPv4"], "gateway.test", interfaces), [])
  })

  it("finds the machine's own addresses: its host, and the first one of an interface for each version", () => {
    const interfaces = ["127.0.0.1", "::1", "fe80::1", "203.0.113.5", "203.0.113.6", "2606:4700:0::7", "2606:4700::8"]
    assert.deepStrictEqual(ownAddresses("gateway.test", interfaces), ["203.0.113.5", "2606:4700::7"])
    assert.deepStrictEqual(ownAddresses("203.0.113.6", interfaces), ["203.0.113.6", "203.0.113.5", "2606:4700::7"])
    assert.deepStrictEqual(ownAddresses("203.0.113.5", []), ["203.0.113.5"])
    assert.deepStrictEqual(ownAddresses("127.0.0.1", ["127.0.0.1", "169.254.7.7"]), [])
  })

  it("tells which addresses destinations do not see", () => {
    const cases = [
      ["fe80::1", "link-local"],
      ["169.254.7.7", "link-local"],
      ["10.0.0.5", "another address"],
      ["172.31.0.5", "another address"],
      ["192.168.0.5", "another address"],
      ["100.127.0.5", "another address"],
      ["fd00::5", "cannot leave"]
    ] as const
    for (const [ip, told] of cases) assert.include(hiddenExit(ip), told, ip)
    for (const ip of ["9.9.9.9", "100.128.0.5", "172.32.0.5", "2606:4700::7", "203.0.113.6", "127.0.0.2", "::1"])
      assert.isUndefined(hiddenExit(ip), ip)
  })
})
