import { assert, describe, it, layer } from "@effect/vitest"
import { NodeHttpServer } from "@effect/platform-node"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { AuthLimits } from "../../src/accounts/AuthLimits.ts"
import { ClaimTokenInvalid } from "../../src/agents/AgentErrors.ts"
import * as AgentHttp from "../../src/agents/AgentHttp.ts"
import { AgentLimits } from "../../src/agents/AgentLimits.ts"
import { AgentRegistration } from "../../src/agents/AgentRegistration.ts"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import { request } from "../support/TestServer.ts"

const registered = {
  registration_id: "reg_1",
  credential: "prk_1",
  scopes: ["catalog:read"],
  claim_token: "clm_1",
  claim_token_expires: DateTime.makeUnsafe(0)
} as const

const agents = Layer.mock(AgentRegistration)({
  register: Effect.succeed(registered),
  claim: () => Effect.fail(new ClaimTokenInvalid()),
  revoke: (key) => (key === "prk_broken" ? Effect.die(new Error("broken")) : Effect.void)
})

/** The agent endpoints only, over a registration that stores nothing. */
const server = (settings: Record<string, string>) =>
  RequestBoundary.serve(AgentHttp.layer).pipe(
    Layer.provide([agents, AgentLimits.layer]),
    Layer.provide([RateLimit.layer, Addresses.layer]),
    Layer.provideMerge(NodeHttpServer.layerTest),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ TRUST_PROXY: "1", ...settings })))
  )

const from = (address: string, path: string, body: unknown) =>
  request("POST", path, { body, headers: { "x-forwarded-for": address } })

const register = (address: string, body: unknown = { type: "anonymous" }) => from(address, "/agent/auth", body)

layer(server({}))("Limits of agents", (it) => {
  it.effect("an address may register 5 agents per hour, and requests refused for another reason do not count", () =>
    Effect.gen(function* () {
      for (let time = 0; time < 10; time++)
        assert.strictEqual((yield* register("192.0.2.1", { type: "somebody" })).status, 400)
      for (let time = 0; time < 5; time++) assert.strictEqual((yield* register("192.0.2.1")).status, 200)
      const { body, headers, status } = yield* register("192.0.2.1")
      assert.strictEqual(status, 429)
      assert.deepStrictEqual(body, {
        error: "rate_limited",
        message: `Too many requests; try again in ${headers["retry-after"]} seconds`
      })
      assert.isAtLeast(Number(headers["retry-after"]), 1)
      assert.strictEqual(headers["access-control-allow-origin"], "*")
      assert.strictEqual((yield* register("192.0.2.2")).status, 200)
    })
  )

  it.effect("a defect of the service is answered with a flat body", () =>
    Effect.gen(function* () {
      for (const [answer, expected] of [
        [yield* register("192.0.2.3", { type: "x".repeat(1_100_000) }), [413, "invalid_request"] as [number, string]],
        [
          yield* from("192.0.2.3", "/agent/revoke", { credential: "prk_broken" }),
          [500, "server_error"] as [number, string]
        ]
      ] as const) {
        assert.hasAllKeys(answer.body, ["error", "message"])
        assert.deepStrictEqual([answer.status, answer.body.error], expected)
      }
    })
  )

  it.effect("an address may try 20 claims per hour and 60 revocations per minute", () =>
    Effect.gen(function* () {
      const claim = { claim_token: "clm_x", email: "ada@example.com", password: "correct horse" }
      for (const [path, body, limit, usual] of [
        ["/agent/claim", claim, 20, 400],
        ["/agent/revoke", { credential: "prk_x" }, 60, 200]
      ] as const) {
        for (let time = 0; time < limit; time++)
          assert.strictEqual((yield* from("203.0.113.1", path, body)).status, usual)
        const { body: refusal, status } = yield* from("203.0.113.1", path, body)
        assert.deepStrictEqual([status, refusal.error], [429, "rate_limited"])
      }
    })
  )
})

describe.each([1, 2])("Registrations of agents and people, with AUTH_RATE_LIMIT_FACTOR=%i", (factor) => {
  const limits = Layer.mergeAll(AgentLimits.layer, AuthLimits.layer).pipe(
    Layer.provide(RateLimit.layer),
    Layer.provide(
      ConfigProvider.layer(ConfigProvider.fromEnvRecord({ TRUST_PROXY: "1", AUTH_RATE_LIMIT_FACTOR: String(factor) }))
    )
  )

  /** Registers agents and people in turn; returns the number of successes. */
  const counting = Effect.gen(function* () {
    const kinds = [yield* AgentLimits, yield* AuthLimits]
    let made = 0
    let turn = 0
    const register = (address: string, attempt: Effect.Effect<void, string> = Effect.void) =>
      kinds[turn++ % kinds.length]!.registration(
        Effect.tap(
          attempt,
          Effect.sync(() => void made++)
        )
      ).pipe(
        Effect.ignore,
        Effect.provideService(
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(new Request("http://localhost/", { headers: { "x-forwarded-for": address } }))
        )
      )
    return { register, made: () => made }
  })

  it.effect("share the limits per minute and per hour, and failures do not count", () =>
    Effect.gen(function* () {
      const { made, register } = yield* counting
      for (let n = 0; n < 100; n++) yield* register(`10.1.${n}.1`, Effect.fail("taken"))
      for (let n = 0; n < 150 * factor; n++) yield* register(`10.${n >> 8}.${n % 256}.2`)
      assert.strictEqual(made(), 60 * factor)
      for (let minute = 0; minute < 15; minute++) {
        yield* TestClock.adjust("1 minute")
        for (let n = 0; n < 50 * factor; n++) yield* register(`10.${minute}.${n}.3`)
      }
      assert.strictEqual(made(), 600 * factor)
    }).pipe(Effect.provide(limits))
  )

  it.effect("share the limit of one network", () =>
    Effect.gen(function* () {
      const { made, register } = yield* counting
      for (let n = 0; n < 200 * factor; n++) {
        yield* register(`2001:db8:7:${n.toString(16)}::1`)
        if (n % 50 === 49) yield* TestClock.adjust("1 minute")
      }
      assert.strictEqual(made(), 100 * factor)
    }).pipe(Effect.provide(limits))
  )
})

layer(server({ AUTH_RATE_LIMIT_FACTOR: "2" }))("Limits of agents with AUTH_RATE_LIMIT_FACTOR=2", (it) => {
  it.effect("are twice as high for one address", () =>
    Effect.gen(function* () {
      for (let time = 0; time < 10; time++) assert.strictEqual((yield* register("192.0.2.1")).status, 200)
      assert.strictEqual((yield* register("192.0.2.1")).status, 429)
    })
  )
})

layer(server({ AGENT_REGISTRATION: "false" }))("Without agent registration", (it) => {
  it.effect("a registration is refused as not enabled, and a malformed one as malformed", () =>
    Effect.gen(function* () {
      const { body, status } = yield* register("192.0.2.1")
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(body, {
        error: "anonymous_not_enabled",
        message: "Agents cannot register themselves here; ask a person for an API key"
      })
      assert.strictEqual((yield* register("192.0.2.1", {})).body.error, "invalid_request")
    })
  )

  it.effect("earlier agents can still be claimed and can revoke their keys", () =>
    Effect.gen(function* () {
      const claim = { claim_token: "clm_x", email: "ada@example.com", password: "correct horse" }
      assert.strictEqual((yield* from("192.0.2.1", "/agent/claim", claim)).body.error, "invalid_claim_token")
      assert.deepStrictEqual((yield* from("192.0.2.1", "/agent/revoke", { credential: "prk_x" })).body, {
        revoked: true
      })
    })
  )
})
