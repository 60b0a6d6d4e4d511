import { assert, describe, it } from "@effect/vitest"
import { type Config, ConfigProvider, Effect } from "effect"
import { GatewayAllow, GatewayExitAddresses, GatewayPorts } from "../../src/gateway/GatewayConfig.ts"
import { GatewayHost } from "../../src/platform/settings/GatewayHost.ts"

const read = <A>(config: Config.Config<A>, env: Record<string, string>) =>
  config.parse(ConfigProvider.fromEnvRecord(env))

describe("GatewayConfig", () => {
  it.effect("has a default for every variable", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read(GatewayHost, {}), "127.0.0.1")
      const { except, ...ports } = yield* read(GatewayPorts, {})
      assert.deepStrictEqual(ports, { first: 20_000, last: 29_999 })
      assert.includeMembers([...except], [25_565, 25_672, 26_257, 26_379, 27_015, 27_017, 28_015])
      assert.deepStrictEqual(yield* read(GatewayExitAddresses, {}), [])
      assert.deepStrictEqual(yield* read(GatewayAllow, {}), new Set<string>())
    })
  )

  it.effect("reads a port or a range", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(GatewayPorts, { GATEWAY_PORTS: "3128" }), {
        first: 3_128,
        last: 3_128,
        except: []
      })
      assert.deepStrictEqual(yield* read(GatewayPorts, { GATEWAY_PORTS: "1 - 65535" }), {
        first: 1,
        last: 65_535,
        except: []
      })
    })
  )

  it.effect("reads exit addresses by country, and makes them canonical", () =>
    Effect.gen(function* () {
      const GATEWAY_EXIT_IPS = "US=198.51.100.7|2001:DB8:0::1; DE=::ffff:198.51.100.9;"
      assert.deepStrictEqual(yield* read(GatewayExitAddresses, { GATEWAY_EXIT_IPS }), [
        { country_code: "US", ip_version: "IPv4", ip: "198.51.100.7" },
        { country_code: "US", ip_version: "IPv6", ip: "2001:db8::1" },
        { country_code: "DE", ip_version: "IPv4", ip: "198.51.100.9" }
      ])
    })
  )

  it.effect("reads allowed destinations", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* read(GatewayAllow, { GATEWAY_ALLOW: "127.0.0.1:80, [0:0::1]:443,[::ffff:10.0.0.1]:1" }),
        new Set(["127.0.0.1:80", "[::1]:443", "10.0.0.1:1"])
      )
    })
  )

  it.effect.each([
    ["GATEWAY_PORTS", "0-10", GatewayPorts],
    ["GATEWAY_PORTS", "30000-20000", GatewayPorts],
    ["GATEWAY_PORTS", "20000-70000", GatewayPorts],
    ["GATEWAY_PORTS", "many", GatewayPorts],
    ["GATEWAY_EXIT_IPS", "198.51.100.7", GatewayExitAddresses],
    ["GATEWAY_EXIT_IPS", "us=198.51.100.7", GatewayExitAddresses],
    ["GATEWAY_EXIT_IPS", "US=", GatewayExitAddresses],
    ["GATEWAY_EXIT_IPS", "US=198.51.100.0/24", GatewayExitAddresses],
    ["GATEWAY_EXIT_IPS", "US=198.51.100.7;DE=198.51.100.7", GatewayExitAddresses],
    ["GATEWAY_ALLOW", "127.0.0.1", GatewayAllow],
    ["GATEWAY_ALLOW", "10.0.0.0/8:80", GatewayAllow],
    ["GATEWAY_ALLOW", "localhost:80", GatewayAllow],
    ["GATEWAY_ALLOW", "127.0.0.1:99999", GatewayAllow]
  ] as const)("refuses %s=%s and names the variable", ([name, value, config]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read<unknown>(config, { [name]: value }))
      assert.match(error.message, new RegExp(`${name} must be `))
    })
  )

  it.effect.each([
    ["UK", "names the country UK. The code of this country is GB (ISO 3166-1)"],
    ["EU", "names the country EU. There is no such country (ISO 3166-1)"]
  ] as const)("refuses addresses of the country %s, and says what is wrong with it", ([country, said]) =>
    Effect.gen(function* () {
      const GATEWAY_EXIT_IPS = `US=198.51.100.7;${country}=198.51.100.8`
      const error = yield* Effect.flip(read<unknown>(GatewayExitAddresses, { GATEWAY_EXIT_IPS }))
      assert.include(error.message, `GATEWAY_EXIT_IPS ${said}`)
    })
  )
})
