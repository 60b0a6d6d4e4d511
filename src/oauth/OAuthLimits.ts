import { Config, Context, Duration, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { UserId } from "../accounts/User.ts"
import { ClientAddress } from "../platform/requests/ClientAddress.ts"
import * as Setting from "../platform/settings/IntegerSetting.ts"
import { RateLimit, type RateLimited } from "../platform/requests/RateLimit.ts"
import * as Secrets from "../platform/Secrets.ts"

/** Requests per window, from one client address or one signed-in account. */
const rules = {
  authorize: { limit: 60, window: Duration.minutes(1) },
  /** The second step of the same request, when the pages have a host of their own. */
  "authorize-pages": { limit: 60, window: Duration.minutes(1) },
  token: { limit: 60, window: Duration.minutes(1) },
  revoke: { limit: 60, window: Duration.minutes(1) },
  register: { limit: 20, window: Duration.hours(1) },
  /** Fetches of documents that are unknown or no longer fresh. */
  document: { limit: 30, window: Duration.hours(1) }
} as const

type VisitorRule = "authorize" | "authorize-pages"

/** Failed attempts to authenticate, of one client from one address. */
const failures = { limit: 10, window: Duration.minutes(1) } as const

/** Limits requests to the OAuth endpoints. `AUTH_RATE_LIMIT_FACTOR` multiplies every limit. */
export class OAuthLimits extends Context.Service<
  OAuthLimits,
  {
    readonly address: (
      rule: Exclude<keyof typeof rules, VisitorRule>
    ) => Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Counts for the signed-in account, so that strangers at its address cannot lock it out. */
    readonly visitor: (
      rule: VisitorRule,
      signedIn: UserId | undefined
    ) => Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /**
     * Counts a failure to authenticate. Only failures count, and they never block the right secret, so that a stranger at
     * the same address cannot lock a client out.
     */
    readonly clientFailure: (client_id: string) => Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
  }
>()("app/oauth/OAuthLimits") {
  static readonly layerNoDeps = Layer.effect(
    OAuthLimits,
    Effect.gen(function* () {
      const rateLimit = yield* RateLimit
      const client = yield* ClientAddress
      const factor = yield* Setting.integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1))

      const count = (rule: keyof typeof rules, key: string) => {
        const { limit, window } = rules[rule]
        return rateLimit.enforce({ name: `oauth-${rule}`, limit: limit * factor, window }, key)
      }

      return OAuthLimits.of({
        address: Effect.fn("OAuthLimits.address")(function* (rule) {
          yield* count(rule, yield* client.limited)
        }),
        visitor: Effect.fn("OAuthLimits.visitor")(function* (rule, signedIn) {
          yield* count(rule, signedIn ?? (yield* client.limited))
        }),
        clientFailure: Effect.fn("OAuthLimits.clientFailure")(function* (client_id) {
          const rule = { name: "oauth-client", limit: failures.limit * factor, window: failures.window }
          // Hash the id: the client sent it, and it may have any length.
          yield* rateLimit.enforce(rule, `${yield* client.limited} ${Secrets.digest(client_id)}`)
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ClientAddress.layer))
}
