import { Config, Duration, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Otp from "../../accounts/second-factor/Otp.ts"
import { AnswerHeaders } from "../../platform/requests/AnswerHeaders.ts"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import { RateLimit, type RateLimited, type Rule } from "../../platform/requests/RateLimit.ts"
import * as Setting from "../../platform/settings/IntegerSetting.ts"

/** Failures that a rule allows in its window. */
const rules = {
  /** Wrong passwords for one email from one network. */
  here: { limit: 5, window: Duration.minutes(15) },
  /** Wrong passwords from one network. */
  network: { limit: 50, window: Duration.minutes(15) },
  /** Wrong passwords for one email from anywhere: above it, each attempt waits. */
  everywhere: { limit: 50, window: Duration.minutes(15) },
  /** Wrong codes of one sign-in; wrong passwords and codes of one confirmation of a session. */
  session: { limit: 5, window: Duration.minutes(15) },
  /** Wrong codes of the app of one person, who gave the right password. */
  app: { limit: 50, window: Duration.hours(24) }
} as const

const slowness = Duration.seconds(3)

type Request = HttpServerRequest.HttpServerRequest

type Limited<R> = <A, E, R2>(attempt: Effect.Effect<A, E, R2>) => Effect.Effect<A, E | RateLimited, R | R2>

interface SignInLimits {
  /**
   * Limits an attempt to give the password. Failures elsewhere never refuse an attempt, because anybody can make them; many
   * of them slow it down.
   */
  readonly password: (email: string) => Limited<Request>
  /** Limits an attempt of one session, which a stranger does not have. */
  readonly session: (secret_hash: string) => Limited<never>
  /**
   * Limits the codes of the app of one person. Recovery codes have no limit here: nobody can guess them, and they let the
   * person in when somebody who knows the password has used up this limit.
   */
  readonly code: (staff_id: string, code: string) => Limited<never>
}

/** Limits guesses: only failures count. `AUTH_RATE_LIMIT_FACTOR` multiplies the limits. */
export const make = Effect.gen(function* () {
  const client = yield* ClientAddress
  const rateLimit = yield* RateLimit
  const factor = yield* Setting.integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1))
  const rule = (name: keyof typeof rules): Rule => ({
    name: `admin-sign-in-${name}`,
    limit: rules[name].limit * factor,
    window: rules[name].window
  })

  const counted =
    (name: keyof typeof rules, key: string): Limited<never> =>
    (attempt) =>
      Effect.andThen(rateLimit.enforce(rule(name), key), Effect.tap(attempt, rateLimit.giveBack(rule(name), key)))

  /** The answer does not tell the limit, which refuses nothing. */
  const slowed =
    (email: string): Limited<never> =>
    (attempt) =>
      rateLimit.enforce(rule("everywhere"), email).pipe(
        Effect.provideService(AnswerHeaders, undefined),
        Effect.catch(() => Effect.sleep(slowness)),
        Effect.andThen(Effect.tap(attempt, rateLimit.giveBack(rule("everywhere"), email)))
      )

  const limits: SignInLimits = {
    password: (email) => (attempt) =>
      Effect.flatMap(client.limited, (network) =>
        slowed(email)(attempt).pipe(counted("here", `${network} ${email}`), counted("network", network))
      ),
    session: (secret_hash) => counted("session", secret_hash),
    code: (staff_id, code) => (Otp.parse(code)?.kind === "recovery" ? (attempt) => attempt : counted("app", staff_id))
  }
  return limits
})
