import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Tracer } from "effect"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import { Flags } from "../../src/flags/Flags.ts"
import { fund, newUser } from "../support/Fixtures.ts"
import { frozenTime } from "../support/FrozenTime.ts"
import { MemoryBlocklists } from "../support/MemoryBlocklists.ts"
import { MemoryIpVendors } from "../support/MemoryIpVendors.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { completed, newIp, pretended, withAnswer } from "./IpCheckTesting.ts"

const newKey = Effect.gen(function* () {
  const user_id = yield* newUser
  const { key } = yield* ApiKeys.use((apiKeys) => apiKeys.create(user_id, { name: "key" }))
  return { user_id, key }
})

const survey = (key: string, ip: string) => request("POST", "/v1/ip-check/sources", { key, body: { ip } })

const of = (source: string) => ({ source, label: source, attribution: `By ${source}` })

/** Counts the queries of a survey. */
let statements = 0

const isOfSurvey = (span: Tracer.AnySpan): boolean =>
  span._tag === "Span" && (span.name === "IpSurvey.survey" || Option.exists(span.parent, isOfSurvey))

const counting = Layer.succeed(
  Tracer.Tracer,
  Tracer.make({
    span: (options) => {
      if (options.kind === "client" && Option.exists(options.parent, isOfSurvey)) statements++
      return new Tracer.NativeSpan(options)
    }
  })
)

const app = TestApp.layer().pipe(Layer.provide(counting))

layer(app, { excludeTestServices: true })("A survey of blocklists", (it) => {
  it.effect("compares the address with every list, and asks no vendor", () =>
    Effect.gen(function* () {
      const { key } = yield* newKey
      const ip = newIp()
      const { list } = yield* MemoryBlocklists
      list("memory_block", ip)
      const before = Date.now()
      const { body, status } = yield* survey(key, ip)
      const { checked_at, ...rest } = body
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(rest, {
        ip,
        listings: [
          {
            ...of("memory_block"),
            claim: "blocklist",
            listed: true,
            network: `${ip}/32`,
            synced_at: "2026-01-01T00:00:00.000Z"
          },
          { ...of("memory_tor"), claim: "tor_exit", listed: false, network: null, synced_at: null }
        ],
        cached_check: null
      })
      assert.isAtLeast(Date.parse(checked_at), before)
      assert.strictEqual((yield* MemoryIpVendors).timesAsked(ip), 0)
    })
  )

  it.effect("leaves out a list without a claim, although its signal counts in checks", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newKey
      yield* fund(user_id, 50_000n)
      const ip = newIp()
      const { list } = yield* MemoryBlocklists
      list("memory_vpn", ip)
      const { body } = yield* survey(key, ip)
      assert.deepStrictEqual(
        body.listings.map(({ claim, source }: any) => [source, claim]),
        [
          ["memory_block", "blocklist"],
          ["memory_tor", "tor_exit"]
        ]
      )
      assert.isTrue((yield* request("POST", "/v1/ip-check", { key, body: { ip } })).body.signals.vpn)
    })
  )

  it.effect("shows the check of the last hour, of any account, and costs nothing", () =>
    Effect.gen(function* () {
      const payer = yield* newKey
      yield* fund(payer.user_id, 50_000n)
      const { key, user_id } = yield* newKey
      const [ip, old] = [newIp(), newIp()]
      const { body } = yield* request("POST", "/v1/ip-check", { key: payer.key, body: { ip } })
      yield* completed(user_id, old, { minutes: 61 })
      const { risk_score, vendors, verdict } = body
      assert.deepStrictEqual((yield* survey(key, ip)).body.cached_check, { vendors, verdict, risk_score })
      assert.isNull((yield* survey(key, old)).body.cached_check)
      const { body: spent } = yield* request("GET", "/v1/wallet/transactions", { key })
      assert.deepStrictEqual(spent.transactions, [])
    })
  )

  it.effect("does not show a result of the sandbox when real vendors are configured", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newKey
      yield* fund(user_id, 50_000n)
      const ip = newIp()
      const made = yield* withAnswer(pretended, request("POST", "/v1/ip-check", { key, body: { ip } }))
      assert.strictEqual(made.status, 200)
      assert.isNull((yield* survey(key, ip)).body.cached_check)
    })
  )

  it.effect("answers the address in canonical form", () =>
    Effect.gen(function* () {
      const { key } = yield* newKey
      for (const [asked, answered] of [
        ["2606:4700:0:0::000B", "2606:4700::b"],
        ["::ffff:149.112.112.112", "149.112.112.112"]
      ] as const)
        assert.strictEqual((yield* survey(key, asked)).body.ip, answered)
    })
  )

  it.effect("makes one query, for 32 concurrent surveys of different accounts and addresses", () =>
    Effect.gen(function* () {
      // Caches of other queries would expire meanwhile on a slow machine.
      yield* frozenTime
      const accounts = yield* Effect.forEach(Array.from({ length: 4 }), () => newKey)
      yield* Effect.forEach(accounts, ({ key }) => survey(key, newIp()))
      statements = 0
      const asked = Array.from({ length: 32 }, (_, index) => survey(accounts[index % 4]?.key ?? "", newIp()))
      const answers = yield* Effect.all(asked, { concurrency: "unbounded" })
      assert.isTrue(answers.every(({ status }) => status === 200))
      assert.strictEqual(statements, 32)
    })
  )

  it.effect("is limited to 30 per minute and account, apart from checks", () =>
    Effect.gen(function* () {
      yield* frozenTime
      const { key } = yield* newKey
      const ip = newIp()
      for (let made = 0; made < 30; made++) assert.strictEqual((yield* survey(key, ip)).status, 200)
      const { body, headers, status } = yield* survey(key, ip)
      assert.deepStrictEqual(
        [status, body.code, String(body.details.retry_after)],
        [429, "RATE_LIMITED", headers["retry-after"]]
      )
      assert.strictEqual((yield* request("POST", "/v1/ip-check", { key, body: { ip } })).status, 409)
      assert.strictEqual((yield* survey((yield* newKey).key, ip)).status, 200)
    })
  )

  it.effect(
    "is off with its flag; the account's override takes effect immediately and wins over the platform's flag",
    () =>
      Effect.gen(function* () {
        const { key, user_id } = yield* newKey
        const other = yield* newKey
        const set = (user: typeof user_id | null, enabled: boolean | null) =>
          Flags.use((flags) => flags.set("ip_reputation.check.enabled", user, enabled))
        const outcome = Effect.map(survey(key, newIp()), ({ body, status }) => [status, body.code])
        yield* set(user_id, false)
        assert.deepStrictEqual(yield* outcome, [403, "FEATURE_DISABLED"])
        yield* set(user_id, true)
        yield* set(null, false)
        assert.deepStrictEqual(yield* outcome, [200, undefined])
        assert.strictEqual((yield* survey(other.key, newIp())).status, 403)
        yield* set(null, null)
        assert.strictEqual((yield* survey(other.key, newIp())).status, 200)
      })
  )
})
