import { Config, Context, Duration, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as LimitRegistrations from "../accounts/LimitRegistrations.ts"
import { ClientAddress } from "../platform/requests/ClientAddress.ts"
import * as Setting from "../platform/settings/IntegerSetting.ts"
import { RateLimit, type RateLimited } from "../platform/requests/RateLimit.ts"

/** Requests per window from one client address. */
const rules = {
  claim: { limit: 20, window: Duration.hours(1) },
  revoke: { limit: 60, window: Duration.minutes(1) }
} as const

/** Limits requests to the agent endpoints. `AUTH_RATE_LIMIT_FACTOR` multiplies every limit. */
export class AgentLimits extends Context.Service<
  AgentLimits,
  {
    readonly address: (
      rule: keyof typeof rules
    ) => Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Limits a registration. It also counts towards the limits that agents and people share. */
    readonly registration: <A, E, R>(
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R | HttpServerRequest.HttpServerRequest>
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
        registration: yield* LimitRegistrations.make("agent-register", 5)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ClientAddress.layer))
}
