import { Config, Context, Duration, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ClientAddress } from "../platform/ClientAddress.ts"
import * as Setting from "../platform/IntegerSetting.ts"
import { RateLimit, type RateLimited } from "../platform/RateLimit.ts"

/** What one client address may do. */
const rules = {
  register: { limit: 5, window: Duration.hours(1) },
  claim: { limit: 20, window: Duration.hours(1) },
  revoke: { limit: 60, window: Duration.minutes(1) }
} as const

/** Every registration is an account, and strangers have many addresses. */
const registrations = { name: "agent-register-all", limit: 100, window: Duration.hours(1) } as const

/** Limits of the agent endpoints. `AUTH_RATE_LIMIT_FACTOR` multiplies those of an address. */
export class AgentLimits extends Context.Service<
  AgentLimits,
  {
    readonly address: (
      rule: keyof typeof rules
    ) => Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Of all addresses together. */
    readonly registrations: Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
  }
>()("app/agents/AgentLimits") {
  static readonly layerNoDeps = Layer.effect(
    AgentLimits,
    Effect.gen(function* () {
      const rateLimit = yield* RateLimit
      const client = yield* ClientAddress
      const factor = yield* Setting.integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1))

      return AgentLimits.of({
        address: Effect.fn("AgentLimits.address")(function* (rule) {
          const { limit, window } = rules[rule]
          yield* rateLimit.enforce({ name: `agent-${rule}`, limit: limit * factor, window }, yield* client.limited)
        }),
        registrations: rateLimit.enforce(registrations, "all")
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ClientAddress.layer))
}
