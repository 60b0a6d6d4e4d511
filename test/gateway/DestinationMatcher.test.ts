import { assert, describe, it } from "@effect/vitest"
import { IpNetwork, NetAddress } from "effect/net"
import * as fc from "fast-check"
import { type Destination, DestinationMatcher, type RuledProxy } from "../../src/gateway/DestinationMatcher.ts"
import { type DestinationRule, destinationScopes } from "../../src/gateway/DestinationRule.ts"
import { GatewayProxyId } from "../../src/gateway/GatewayProxy.ts"

type Rule = ConstructorParameters<typeof DestinationMatcher>[0][number]

const address = NetAddress.ipFromStringUnsafe

/** Compares every rule with the destination. */
const naive = (rules: ReadonlyArray<Rule>, proxy: RuledProxy, { address, name, port }: Destination): boolean => {
  const ids = { proxy: proxy.id, account: proxy.account_id, article: proxy.article, platform: null }
  const fits = (rule: Rule) =>
    (rule.first_port === null || (rule.first_port <= port && port <= (rule.last_port ?? 0))) &&
    (rule.network === null || IpNetwork.contains(IpNetwork.fromStringUnsafe(rule.network), address)) &&
    (rule.host_suffix === null || name === rule.host_suffix || name?.endsWith(`.${rule.host_suffix}`) === true)
  for (const scope of destinationScopes) {
    const concerned = rules.filter((rule) => rule.scope === scope && rule.scope_id === ids[scope] && fits(rule))
    if (concerned.length > 0) return concerned.some(({ action }) => action === "deny")
  }
  return false
}

const ids = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]
const names = ["test", "a.test", "b.a.test", "xa.test", "c.b.a.test", "other"]
const networks = [
  "0.0.0.0/0",
  "8.8.0.0/16",
  "8.8.8.0/24",
  "8.8.8.8/32",
  "9.0.0.0/8",
  "::/0",
  "2606:4700::/32",
  "2606::/16"
]
const addresses = ["8.8.8.8", "8.8.8.9", "8.8.9.9", "9.1.1.1", "1.1.1.1", "2606:4700::1", "2606:4701::1", "2a00::1"]
const port = fc.integer({ min: 1, max: 12 })

const condition: fc.Arbitrary<Pick<Rule, "network" | "host_suffix">> = fc.oneof(
  fc.constant({ network: null, host_suffix: null }),
  fc.constantFrom(...networks).map((network) => ({ network, host_suffix: null })),
  fc.constantFrom(...names).map((host_suffix) => ({ network: null, host_suffix }))
)
const ports = fc.oneof(
  fc.constant({ first_port: null, last_port: null }),
  fc.tuple(port, port).map(([a, b]) => ({ first_port: Math.min(a, b), last_port: Math.max(a, b) }))
)
const rule: fc.Arbitrary<Rule> = fc
  .tuple(
    fc.constantFrom(...destinationScopes),
    fc.constantFrom(...ids),
    fc.constantFrom<DestinationRule["action"]>("deny", "allow"),
    condition,
    ports
  )
  .map(([scope, id, action, where, range]) => ({
    scope,
    scope_id: scope === "platform" ? null : id,
    action,
    ...where,
    ...range
  }))

const proxy: fc.Arbitrary<RuledProxy> = fc.record({
  id: fc.constantFrom(...ids.map((id) => GatewayProxyId.make(id))),
  account_id: fc.constantFrom(...ids, null),
  article: fc.constantFrom(...ids, null)
})
const destination: fc.Arbitrary<Destination> = fc.record({
  name: fc.constantFrom(undefined, ...names),
  address: fc.constantFrom(...addresses.map(address)),
  port
})

const platform = { scope: "platform", scope_id: null, first_port: null, last_port: null, network: null } as const
const anyone: RuledProxy = { id: GatewayProxyId.make(ids[0]!), account_id: null, article: null }

describe("DestinationMatcher", () => {
  it("answers as a comparison with every rule does", () => {
    let denied = 0
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 12 }), proxy, destination, (rules, proxy, destination) => {
        const expected = naive(rules, proxy, destination)
        denied += Number(expected)
        assert.strictEqual(new DestinationMatcher(rules).denies(proxy, destination), expected)
      }),
      { numRuns: 5_000 }
    )
    assert.isAbove(denied, 500)
  })

  it("compares whole labels of a name", () => {
    const matcher = new DestinationMatcher([{ ...platform, action: "deny", host_suffix: "example.com" }])
    const denies = (name: string) => matcher.denies(anyone, { name, address: address("8.8.8.8"), port: 443 })
    assert.deepStrictEqual(["example.com", "a.example.com", "notexample.com", "example.com.test", "com"].map(denies), [
      true,
      true,
      false,
      false,
      false
    ])
  })

  it("finds one of 10,000 rules, and none where none fits", () => {
    const rules = Array.from({ length: 10_000 }, (_, index) => ({
      ...platform,
      action: "deny" as const,
      first_port: index * 2 + 1,
      last_port: index * 2 + 1,
      host_suffix: null
    }))
    const matcher = new DestinationMatcher(rules)
    const isDenied = (port: number) => matcher.denies(anyone, { name: "a.b.c.test", address: address("8.8.8.8"), port })
    assert.deepStrictEqual([1, 2, 9_999, 10_000, 19_999, 20_000].map(isDenied), [true, false, true, false, true, false])
  })
})
