import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { interfaceAddresses, makeIsOwn, ownAddress } from "../../src/gateway/OwnAddresses.ts"

const names: Record<string, ReadonlyArray<string>> = { "gateway.test": ["8.8.4.4", "2606:4700:0::9"] }

const isOwnWith = (env: Record<string, string>) =>
  makeIsOwn((name) => Promise.resolve(names[name] ?? [])).pipe(
    // The host's name is asked of DNS beside the start.
    Effect.tap(Effect.sleep("20 millis")),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(env))
  )

describe("OwnAddresses", () => {
  it.live("knows the addresses of interfaces, of the host and those proxies leave from", () =>
    Effect.gen(function* () {
      const isOwn = yield* isOwnWith({ GATEWAY_HOST: "2606:4700:0::1", GATEWAY_EXIT_IPS: "US=9.9.9.9" })
      for (const ip of [...interfaceAddresses(), "2606:4700::1", "9.9.9.9"]) assert.isTrue(isOwn(ip), ip)
      assert.isTrue(isOwn("127.0.0.1"))
      assert.isFalse(isOwn("8.8.8.8"))
    })
  )

  it.live("resolves the name customers connect to", () =>
    Effect.gen(function* () {
      const isOwn = yield* isOwnWith({ GATEWAY_HOST: "gateway.test" })
      assert.deepStrictEqual(["8.8.4.4", "2606:4700::9", "8.8.8.8"].map(isOwn), [true, true, false])
    })
  )

  it("leaves by the address customers connect to, else by an interface's that leads out", () => {
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
