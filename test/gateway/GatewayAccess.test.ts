import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const env = { GATEWAY_PORTS: "21000-21099" }

const exits = {
  "us-mobile": ["198.51.100.7", "198.51.100.8", "198.51.100.9"],
  "de-mobile": ["198.51.100.20"],
  "fr-mobile": ["198.51.100.30"],
  "fr-datacenter": ["198.51.100.40", "198.51.100.41"]
}

const services = Layer.mergeAll(GatewayProxies.layer, HeldPorts.layer, GatewayShop.layer(exits)).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))
)

const open = ({ country_code = "US", kind = "mobile" }: Parameters<typeof GatewayShop.articleOf>[0] = {}) =>
  GatewayProxies.use((proxies) =>
    proxies.open({
      reference: randomUUID(),
      article: GatewayShop.articleOf({ kind, country_code }),
      protocol: "HTTP",
      limit_bytes: null,
      expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
    })
  )

const login = { username: "customer", password: "secret" }

layer(services)("GatewayAccess", (it) => {
  it.effect("replaces the given fields and leaves the others", () =>
    Effect.gen(function* () {
      const { get, setUsers } = yield* GatewayProxies
      const { id, logins } = yield* open()
      const listed = yield* setUsers(id, { whitelist: ["::ffff:8.8.8.8", "2001:DB8:0::1", "8.8.8.8"] })
      assert.deepStrictEqual([listed.whitelist, listed.logins], [["8.8.8.8", "2001:db8::1"], logins])
      const twenty = Array.from({ length: 20 }, (_, index) => ({ ...login, username: `customer-${index}` }))
      yield* setUsers(id, { logins: [twenty[0]!, ...twenty.slice(1)] })
      const replaced = yield* get(id)
      assert.deepStrictEqual([replaced.whitelist, replaced.logins], [listed.whitelist, twenty])
      assert.deepStrictEqual((yield* setUsers(id, { whitelist: [], logins: [login] })).whitelist, [])
    })
  )

  it.effect("refuses logins that a protocol cannot carry, and invalid addresses", () =>
    Effect.gen(function* () {
      const { get, setUsers } = yield* GatewayProxies
      const { id } = yield* open()
      const before = yield* get(id)
      const wrong = [
        { logins: [] },
        { logins: Array.from({ length: 21 }, () => login) },
        { logins: [{ ...login, username: "a:b" }] },
        { logins: [{ ...login, username: "" }] },
        { logins: [{ ...login, password: "" }] },
        { logins: [{ ...login, password: "ß".repeat(128) }] },
        { logins: [{ ...login, password: "a\u0000b" }] },
        { logins: [{ ...login, password: "a\nb" }] },
        { whitelist: ["8.8.8.0/24"] },
        { whitelist: ["example.com"] },
        { whitelist: Array.from({ length: 101 }, (_, index) => `8.8.8.${index}`) }
      ]
      for (const users of wrong)
        assert.strictEqual(
          (yield* Effect.flip(setUsers(id, users)))._tag,
          "GatewayChangeRefused",
          JSON.stringify(users)
        )
      assert.deepStrictEqual(yield* get(id), before)
    })
  )

  it.effect("is backed by constraints of the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* open()
      const wrong = ["[]", "{}", "null", '[{"username": "a"}]', '[{"username": "a:b", "password": "c"}]', "[1]"]
      for (const logins of wrong) {
        const error = yield* Effect.flip(sql`UPDATE gateway_proxy SET logins = ${logins}::jsonb WHERE id = ${id}`)
        assert.strictEqual(error.reason._tag, "ConstraintError", logins)
      }
    })
  )

  it.effect(
    "rotates to the least shared address, else to the next one, and leaves its address when another is free",
    () =>
      Effect.gen(function* () {
        const { close, rotate } = yield* GatewayProxies
        const one = yield* open()
        assert.strictEqual(one.exit_ip, "198.51.100.7")
        const seen: Array<string | null> = []
        for (let turn = 0; turn < 3; turn++) seen.push((yield* rotate(one.id)).exit_ip)
        assert.deepStrictEqual(seen, ["198.51.100.8", "198.51.100.9", "198.51.100.7"])
        const two = yield* open()
        assert.strictEqual(two.exit_ip, "198.51.100.8")
        assert.strictEqual((yield* rotate(one.id)).exit_ip, "198.51.100.9")
        const both = yield* Effect.all([rotate(one.id), rotate(two.id)], { concurrency: 2 })
        assert.strictEqual(new Set(both.map(({ exit_ip }) => exit_ip)).size, 2)
        for (const { id } of [one, two]) yield* close(id)
      })
  )

  it.effect("keeps the only address, and counts the rotation", () =>
    Effect.gen(function* () {
      const { rotate } = yield* GatewayProxies
      const { exit_ip, id } = yield* open({ country_code: "DE" })
      const rotated = yield* rotate(id)
      assert.deepStrictEqual([rotated.exit_ip, rotated.rotations], [exit_ip, 1])
    })
  )

  it.effect("leaves an address that is no longer sold when another one is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { close, rotate } = yield* GatewayProxies
      const { exit_ip, id } = yield* open()
      yield* sql`UPDATE exit_address SET state = 'draining' WHERE ip <> '198.51.100.9'`
      assert.strictEqual((yield* rotate(id)).exit_ip, "198.51.100.9")
      yield* sql`UPDATE exit_address SET state = 'draining' WHERE ip = '198.51.100.9'`
      assert.strictEqual((yield* rotate(id)).exit_ip, "198.51.100.9")
      yield* sql`UPDATE exit_address SET state = 'on'`
      assert.strictEqual(exit_ip, "198.51.100.7")
      yield* close(id)
    })
  )

  it.effect("rotates a proxy from before the shop over the pool that has its address, while it sells any", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { close, rotate } = yield* GatewayProxies
      const { id } = yield* open({ country_code: "FR" })
      const statics = yield* Effect.forEach([1, 2], () => open({ kind: "datacenter", country_code: "FR" }))
      yield* sql`UPDATE gateway_proxy SET article = NULL, pool = NULL, exit_ip = '198.51.100.40' WHERE id = ${id}`
      assert.strictEqual((yield* rotate(id)).exit_ip, "198.51.100.41")
      assert.strictEqual((yield* rotate(id)).exit_ip, "198.51.100.40")
      yield* sql`UPDATE exit_address SET state = 'draining' WHERE ip = '198.51.100.41'`
      assert.strictEqual((yield* rotate(id)).exit_ip, "198.51.100.40")
      yield* sql`UPDATE exit_address SET state = 'draining' WHERE ip = '198.51.100.40'`
      assert.strictEqual((yield* rotate(id)).exit_ip, "198.51.100.30")
      for (const proxy of [{ id }, ...statics]) yield* close(proxy.id)
    })
  )

  it.effect("rotates a proxy from before the shop, whose address is not in it, over its country and kind", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { close, rotate } = yield* GatewayProxies
      const { id } = yield* open({ country_code: "DE" })
      yield* sql`UPDATE gateway_proxy SET article = NULL, pool = NULL, exit_ip = '198.51.100.99' WHERE id = ${id}`
      assert.strictEqual((yield* rotate(id)).exit_ip, "198.51.100.20")
      yield* sql`UPDATE gateway_proxy SET exit_ip = '198.51.100.99', country_code = 'NL' WHERE id = ${id}`
      assert.isNull((yield* rotate(id)).exit_ip)
      yield* close(id)
    })
  )

  it.effect("labels only mobile proxies, and only with known signatures", () =>
    Effect.gen(function* () {
      const { rotate, setSignature } = yield* GatewayProxies
      const mobile = yield* open()
      const fixed = yield* open({ kind: "datacenter" })
      assert.deepStrictEqual([mobile.signature, fixed.signature], ["android", null])
      assert.strictEqual((yield* setSignature(mobile.id, "macos")).signature, "macos")
      const refused = [setSignature(mobile.id, "amiga"), setSignature(fixed.id, "ios"), rotate(fixed.id)]
      for (const change of refused) assert.strictEqual((yield* Effect.flip(change))._tag, "GatewayChangeRefused")
    })
  )

  it.effect("refuses every change of a closed proxy", () =>
    Effect.gen(function* () {
      const { close, get, rotate, setProtocol, setSignature, setUsers } = yield* GatewayProxies
      const { id } = yield* open()
      const closed = yield* close(id)
      const changes = [
        setUsers(id, { logins: [login] }),
        setProtocol(id, "SOCKS5"),
        rotate(id),
        setSignature(id, "ios")
      ]
      for (const change of changes) assert.strictEqual((yield* Effect.flip(change))._tag, "GatewayProxyEnded")
      assert.deepStrictEqual(yield* get(id), closed)
    })
  )
})
