import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import { Flags } from "../../src/flags/Flags.ts"
import { newUser, fund } from "../support/Fixtures.ts"
import { frozenTime } from "../support/FrozenTime.ts"
import { MemoryBlocklists } from "../support/MemoryBlocklists.ts"
import { MemoryIpVendors } from "../support/MemoryIpVendors.ts"
import { balanceOf } from "../support/OrderTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { completed, newIp } from "./IpCheckTesting.ts"

/** Creates an account with an unrestricted API key and one dollar. */
const newOwner = Effect.gen(function* () {
  const user_id = yield* newUser
  yield* fund(user_id, 1_000_000n)
  const { key } = yield* ApiKeys.use((apiKeys) => apiKeys.create(user_id, { name: "key" }))
  return { user_id, key }
})

const checkWith = (key: string, body: unknown, headers: Record<string, string> = {}) =>
  request("POST", "/v1/ip-check", { key, body, headers })

const faultsOf = ({ body, status }: { status: number; body: any }) => [
  status,
  body.code,
  ...body.detail.map(({ loc }: any) => loc.join("."))
]

/** The row of a vendor in memory. */
const vendor = (name: string) => ({
  vendor: name,
  label: `Memory ${name}`,
  status: "ok",
  band: "clean",
  score: 5,
  risk: "low",
  score_metric: "A number",
  risk_metric: "A word",
  score_derived: false
})

const wrongAddresses = [
  "",
  7,
  null,
  undefined,
  "example.com",
  "8.8.8",
  "08.8.8.8",
  "8.8.8.8 ",
  "8.8.8.8/32",
  "8.8.8.8\u0000",
  "127.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "100.64.0.1",
  "192.0.2.1",
  "224.0.0.1",
  "::1",
  "fe80::1",
  "fc00::1",
  "2001:db8::1",
  "2002:808:808::1",
  "4000::1",
  "::ffff:10.0.0.1",
  "2606:4700::1%eth0"
]

layer(TestApp.layer(), { excludeTestServices: true })("The API of IP checks", (it) => {
  it.effect("answers a check with all documented fields, and reads it again by its id", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newOwner
      const ip = newIp()
      const { list } = yield* MemoryBlocklists
      list("memory_block", ip)
      const { body, headers, status } = yield* checkWith(key, { ip, colour: "ignored" })
      const flags = { tor: false, vpn: false, proxy_detected: false, datacenter: false }
      assert.deepStrictEqual([status, headers["idempotency-replayed"]], [200, undefined])
      assert.deepStrictEqual(body, {
        ip,
        verdict: "blacklisted",
        risk_score: 100,
        charge: { amount: "0.05", currency: "USD", free: false },
        signals: { ...flags, recent_abuse: false, known_abuser: false, blocklists: ["memory_block"] },
        vendors: [vendor("one"), vendor("two")],
        // The list `memory_tor` is not loaded.
        partial: true,
        cached: false,
        id: body.id
      })
      assert.strictEqual(yield* balanceOf(user_id), 950_000n)
      const stored = yield* request("GET", `/v1/ip-check/${body.id}`, { key })
      assert.deepStrictEqual([stored.status, stored.body], [200, body])
    })
  )

  it.effect("answers an address in canonical form, and a mapped address as IPv4", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const answers = []
      for (const ip of ["2606:4700:0:0::000A", "2606:4700::A", "::ffff:9.9.9.9", "::FFFF:909:909", "9.9.9.9"])
        answers.push((yield* checkWith(key, { ip })).body)
      assert.deepStrictEqual(
        answers.map(({ cached, ip }) => [ip, cached]),
        [
          ["2606:4700::a", false],
          ["2606:4700::a", true],
          ["9.9.9.9", false],
          ["9.9.9.9", true],
          ["9.9.9.9", true]
        ]
      )
    })
  )

  it.effect("refuses an address that is not public, for checks and surveys", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      for (const path of ["/v1/ip-check", "/v1/ip-check/sources"])
        for (const ip of wrongAddresses)
          assert.deepStrictEqual(
            faultsOf(yield* request("POST", path, { key, body: { ip } })),
            [422, "VALIDATION_ERROR", "body.ip"],
            `${path} ${String(ip)}`
          )
    })
  )

  it.effect("makes a retry safe with an idempotency key, in the header or in the body", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newOwner
      const [ip, once] = [newIp(), randomUUID()]
      const header = { "idempotency-key": once }
      const first = yield* checkWith(key, { ip }, header)
      for (const again of [checkWith(key, { ip }, header), checkWith(key, { ip, idempotency_key: once })]) {
        const { body, headers, status } = yield* again
        assert.deepStrictEqual([status, headers["idempotency-replayed"], body], [200, "true", first.body])
      }
      const other = yield* checkWith(key, { ip: newIp() }, header)
      assert.deepStrictEqual([other.status, other.body.details], [409, { reason: "idempotency_key_reused" }])
      assert.strictEqual(yield* balanceOf(user_id), 950_000n)
    })
  )

  it.effect("accepts one idempotency key, which is a UUID", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const ip = newIp()
      const header = { "idempotency-key": randomUUID() }
      assert.deepStrictEqual(faultsOf(yield* checkWith(key, { ip }, { "idempotency-key": "mine" })), [
        422,
        "VALIDATION_ERROR",
        "header.idempotency-key"
      ])
      for (const idempotency_key of ["mine", randomUUID()])
        assert.deepStrictEqual(faultsOf(yield* checkWith(key, { ip, idempotency_key }, header)), [
          422,
          "VALIDATION_ERROR",
          "body.idempotency_key"
        ])
    })
  )

  it.effect("answers 409 with the price without enough money, and 503 without enough sources", () =>
    Effect.gen(function* () {
      const poor = yield* newUser
      const { key } = yield* ApiKeys.use((apiKeys) => apiKeys.create(poor, { name: "key" }))
      const unpaid = yield* checkWith(key, { ip: newIp() })
      assert.deepStrictEqual(
        [unpaid.status, unpaid.body.code, unpaid.body.details],
        [409, "CONFLICT", { reason: "insufficient_balance", required: "0.05", balance: "0.00", currency: "USD" }]
      )
      const { setAnswer } = yield* MemoryIpVendors
      setAnswer(Effect.succeed([]))
      const owner = yield* newOwner
      const { body, status } = yield* checkWith(owner.key, { ip: newIp() })
      setAnswer()
      assert.deepStrictEqual([status, body.code], [503, "SERVICE_UNAVAILABLE"])
      assert.strictEqual(yield* balanceOf(owner.user_id), 1_000_000n)
    })
  )

  it.effect("limits an account to ten checks a minute, over all its API keys, and names the wait", () =>
    Effect.gen(function* () {
      yield* frozenTime
      const { key, user_id } = yield* newOwner
      const ip = newIp()
      const { key: second } = yield* ApiKeys.use((apiKeys) => apiKeys.create(user_id, { name: "second" }))
      for (let made = 0; made < 10; made++)
        assert.strictEqual((yield* checkWith(made % 2 === 0 ? key : second, { ip })).status, 200)
      const { body, headers, status } = yield* checkWith(key, { ip })
      assert.deepStrictEqual(
        [status, body.code, String(body.details.retry_after)],
        [429, "RATE_LIMITED", headers["retry-after"]]
      )
      assert.isAbove(body.details.retry_after, 0)
      assert.strictEqual((yield* checkWith((yield* newOwner).key, { ip })).status, 200)
      assert.strictEqual((yield* checkWith(key, { ip: "nonsense" })).status, 422)
    })
  )

  it.effect("answers 403 when the feature is off, after the checks of scope and body", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newOwner
      yield* Flags.use((flags) => flags.set("ip_reputation.check.enabled", user_id, false))
      const { key: restricted } = yield* ApiKeys.use((apiKeys) =>
        apiKeys.create(user_id, { name: "restricted", scopes: ["account:read"] })
      )
      const off = yield* checkWith(key, { ip: newIp() })
      assert.deepStrictEqual([off.status, off.body.code], [403, "FEATURE_DISABLED"])
      const unscoped = yield* checkWith(restricted, { ip: "nonsense" })
      assert.deepStrictEqual(
        [unscoped.status, unscoped.body.code, unscoped.body.details],
        [403, "INSUFFICIENT_SCOPE", { required_scope: "orders:write" }]
      )
      assert.strictEqual((yield* checkWith(key, { ip: "nonsense" })).status, 422)
      assert.strictEqual((yield* request("GET", "/v1/ip-check/history", { key })).status, 200)
    })
  )

  it.effect("answers the quota with the price", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newOwner
      yield* completed(user_id, newIp(), { minutes: 1 })
      const { body } = yield* request("GET", "/v1/ip-check/quota", { key })
      assert.deepStrictEqual(body, { entitled: 0, used: 1, free_available: 0, price: "0.05", currency: "USD" })
    })
  )

  it.effect("lists the completed checks of the account, newest first, in pages", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newOwner
      const stranger = yield* newOwner
      const ip = newIp()
      const [oldest, older] = [
        yield* completed(user_id, newIp(), { hours: 2 }),
        yield* completed(user_id, newIp(), { hours: 1 })
      ]
      const { body: newest } = yield* checkWith(key, { ip })
      yield* checkWith(key, { ip })
      yield* checkWith(stranger.key, { ip })
      const page = (query: string) =>
        Effect.map(request("GET", `/v1/ip-check/history${query}`, { key }), ({ body }) => body)
      const { checks, ...rest } = yield* page("")
      assert.deepStrictEqual(rest, { total: 3, limit: 50, offset: 0 })
      assert.deepStrictEqual(
        checks.map(({ id }: any) => id),
        [newest.id, older, oldest]
      )
      const { created_at, ...shown } = checks[0]
      assert.deepStrictEqual(shown, newest)
      assert.match(created_at, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
      const second = yield* page("?limit=1&offset=1")
      assert.deepStrictEqual([second.checks[0].id, second.checks.length, second.total], [older, 1, 3])
      assert.deepStrictEqual((yield* request("GET", "/v1/ip-check/history", { key: stranger.key })).body.checks, [])
    })
  )

  it.effect("answers a stored check to its owner, 403 to others, 404 to an unknown id and 422 to an invalid one", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newOwner
      const stranger = yield* newOwner
      const id = yield* completed(user_id, newIp(), { days: 400 })
      const outcomes = yield* Effect.forEach(
        [
          request("GET", `/v1/ip-check/${id}`, { key }),
          request("GET", `/v1/ip-check/${id}`, { key: stranger.key })
        ].concat([randomUUID(), "7"].map((other) => request("GET", `/v1/ip-check/${other}`, { key }))),
        (asking) => Effect.map(asking, ({ body, status }) => [status, body.code])
      )
      assert.deepStrictEqual(outcomes, [
        [200, undefined],
        [403, "FORBIDDEN"],
        [404, "NOT_FOUND"],
        [422, "VALIDATION_ERROR"]
      ])
    })
  )
})
