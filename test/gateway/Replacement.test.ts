import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const four = ["198.51.100.40", "198.51.100.41", "198.51.100.42", "198.51.100.43"]

const services = Layer.mergeAll(
  GatewayProxies.layer,
  HeldPorts.layer,
  GatewayShop.layer({ "us-datacenter": four, "fr-datacenter": ["198.51.100.50"], "us-mobile": ["198.51.100.60"] })
).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ GATEWAY_PORTS: "21000-21099" })))
)

const open = ({ country_code = "US", kind = "datacenter" }: Parameters<typeof GatewayShop.articleOf>[0] = {}) =>
  GatewayProxies.use((proxies) =>
    proxies.open({
      reference: randomUUID(),
      article: GatewayShop.articleOf({ kind, country_code }),
      protocol: "HTTP",
      limit_bytes: 5_000n,
      expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
    })
  )

/** A replacement by staff. */
const staff = (reference: string = randomUUID()) => ({ reference, keeps_logins: false, is_failing: false })

layer(services)("The replacement of a proxy", (it) => {
  it.effect("gives another address and another login, keeps the rest, and is made once for a reference", () =>
    Effect.gen(function* () {
      const { close, find, replace, spareExits } = yield* GatewayProxies
      const before = yield* open()
      assert.strictEqual(yield* spareExits(before.id), 3)
      const reference = randomUUID()
      const answers = yield* Effect.all(
        [1, 2, 3].map(() => replace(before.id, staff(reference))),
        { concurrency: 3 }
      )
      for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
      const after = answers[0]!
      assert.deepStrictEqual(
        { ...after, exit_ip: before.exit_ip, logins: before.logins, rotations: 0, change_reference: null, revision: 0 },
        { ...before, updated_at: after.updated_at, revision: 0 }
      )
      assert.strictEqual(after.exit_ip, four[1])
      assert.notStrictEqual(after.logins[0].password, before.logins[0].password)
      assert.lengthOf(after.logins, 1)
      const sql = yield* SqlClient.SqlClient
      const holds = yield* sql`
        SELECT host(exit_ip) AS ip, until_at IS NULL AS is_open FROM gateway_exit_hold WHERE proxy_id = ${before.id} ORDER BY from_at, ip
      `
      assert.deepStrictEqual(
        [...holds],
        [
          { ip: four[0], is_open: false },
          { ip: four[1], is_open: true }
        ]
      )
      // The next one moves on, and not back to the address that was bad.
      assert.strictEqual((yield* replace(before.id, staff())).exit_ip, four[2])
      assert.isTrue((yield* find(before.reference))._tag === "Some")
      yield* close(before.id)
    })
  )

  it.effect("never gives two proxies one address", () =>
    Effect.gen(function* () {
      const { close, get, replace } = yield* GatewayProxies
      const [one, two] = [yield* open(), yield* open()]
      yield* Effect.all(
        [one, two, one, two, one, two].map(({ id }) => replace(id, staff())),
        { concurrency: 6 }
      )
      const now = [(yield* get(one.id)).exit_ip, (yield* get(two.id)).exit_ip]
      assert.strictEqual(new Set(now).size, 2)
      yield* Effect.forEach([one, two], ({ id }) => close(id))
    })
  )

  it.effect.each([
    ["a pool of one address", { country_code: "FR" }],
    ["the address of the machine", { country_code: "DE" }],
    ["a mobile pool of one address", { kind: "mobile" }]
  ] as const)("is refused where no other address is free: %s", ([, article]) =>
    Effect.gen(function* () {
      const { get, replace, spareExits } = yield* GatewayProxies
      const proxy = yield* open(article)
      assert.strictEqual(yield* spareExits(proxy.id), 0)
      assert.strictEqual((yield* Effect.flip(replace(proxy.id, staff())))._tag, "GatewayChangeRefused")
      assert.deepStrictEqual(yield* get(proxy.id), proxy)
    })
  )

  it.effect("is refused for a proxy that has ended", () =>
    Effect.gen(function* () {
      const { close, replace } = yield* GatewayProxies
      const { id } = yield* open()
      yield* close(id)
      assert.strictEqual((yield* Effect.flip(replace(id, staff())))._tag, "GatewayProxyEnded")
    })
  )

  it.effect("by the warranty keeps the logins, and sells the failing address to nobody until the shop is applied", () =>
    Effect.gen(function* () {
      const { close, replace, spareExits } = yield* GatewayProxies
      const before = yield* open()
      const spare = yield* spareExits(before.id)
      const claim = { keeps_logins: true, is_failing: false }
      const moved = yield* replace(before.id, { ...claim, reference: randomUUID() })
      assert.deepStrictEqual(moved.logins, before.logins)
      assert.notStrictEqual(moved.exit_ip, before.exit_ip)
      assert.strictEqual(yield* spareExits(before.id), spare)
      const failing = yield* replace(before.id, { ...claim, is_failing: true, reference: randomUUID() })
      assert.notStrictEqual(failing.exit_ip, moved.exit_ip)
      assert.strictEqual(yield* spareExits(before.id), spare - 1)
      const sql = yield* SqlClient.SqlClient
      const drained = yield* sql`SELECT host(ip) AS ip FROM exit_address WHERE state = 'draining'`
      assert.deepStrictEqual([...drained], [{ ip: moved.exit_ip }])
      yield* sql`UPDATE exit_address SET state = 'on'`
      yield* close(before.id)
    })
  )
})
