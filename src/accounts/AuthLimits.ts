import { Config, Context, Duration, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ClientAddress } from "../platform/requests/ClientAddress.ts"
import * as Setting from "../platform/settings/IntegerSetting.ts"
import { RateLimit, RateLimited, type Rule } from "../platform/requests/RateLimit.ts"
import * as LimitRegistrations from "./LimitRegistrations.ts"

/** Attempts that a rule allows in its window. `both` limits one account from one address, `pass` one sign-in pass. */
const rules = {
  login: { address: 60, account: 100, both: 20, pass: 20, window: Duration.minutes(15) },
  "login-unlock": { address: 20, account: 5, window: Duration.hours(1) },
  "password-reset": { address: 20, account: 5, window: Duration.hours(1) },
  password: { session: 10, window: Duration.minutes(15) },
  otp: { account: 5, window: Duration.minutes(15) },
  passkey: { address: 60, window: Duration.minutes(15) },
  "email-verification": { account: 5, window: Duration.hours(1) },
  "payment-callback": { address: 100, window: Duration.minutes(1) }
} as const

/**
 * Adds to the error how to bypass the limit. An owner needs this when failed sign-ins of other people have used up the
 * limit.
 */
const withUnlock = Effect.mapError(({ details }: RateLimited) =>
  RateLimited.after(
    details.retry_after,
    ", or request a mail with POST /auth/login/unlock and send its unlock_token, which bypasses this limit"
  )
)

/** Limits guessing and mail floods. `AUTH_RATE_LIMIT_FACTOR` multiplies every limit. */
export class AuthLimits extends Context.Service<
  AuthLimits,
  {
    readonly address: (
      rule: "login" | "login-unlock" | "password-reset" | "payment-callback"
    ) => Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Limits a registration. Only a successful one counts towards the limit of the whole service. */
    readonly registration: <A, E, R>(
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R | HttpServerRequest.HttpServerRequest>
    /** `account` is the id of the account or the email that the client sent. */
    readonly account: (
      rule: "login-unlock" | "password-reset" | "email-verification",
      account: string
    ) => Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Counts per session, so that a thief of one session cannot keep the owner from changing the password. */
    readonly session: (
      rule: "password",
      session_id: string
    ) => Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
    /** Limits an attempt to confirm a change with the password, together with `session`. Only a failed attempt counts. */
    readonly confirmation: <A, E, R>(
      session_id: string,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R>
    /** Limits an attempt to sign in with a passkey from an address. Only a failed attempt counts. */
    readonly passkey: <A, E, R>(
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R | HttpServerRequest.HttpServerRequest>
    /** Limits an attempt to prove the second factor of an account. Only a failed attempt counts. */
    readonly otp: <A, E, R>(account: string, attempt: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
    /**
     * Limits an attempt to sign in. Only a failed attempt counts for the account. One address reaches its limit long before
     * the account does. An attempt with a pass (`SignInPasses`) counts only for the pass, so that strangers with many
     * addresses cannot lock the owner out.
     */
    readonly login: <A, E, R>(
      account: string,
      pass: Option.Option<string>,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R | HttpServerRequest.HttpServerRequest>
  }
>()("app/accounts/AuthLimits") {
  static readonly layerNoDeps = Layer.effect(
    AuthLimits,
    Effect.gen(function* () {
      const rateLimit = yield* RateLimit
      const client = yield* ClientAddress
      const factor = yield* Setting.integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1))

      /** Runs an attempt of which only a failure counts. */
      const counted = Effect.fnUntraced(function* <A, E, R>(rule: Rule, key: string, attempt: Effect.Effect<A, E, R>) {
        yield* rateLimit.enforce(rule, key)
        return yield* Effect.tap(attempt, rateLimit.giveBack(rule, key))
      })

      return AuthLimits.of({
        registration: yield* LimitRegistrations.make("register", 20),
        address: Effect.fn("AuthLimits.address")(function* (rule) {
          const { address, window } = rules[rule]
          yield* rateLimit.enforce({ name: `${rule}-address`, limit: address * factor, window }, yield* client.limited)
        }),
        account: Effect.fn("AuthLimits.account")(function* (rule, account) {
          const { account: limit, window } = rules[rule]
          yield* rateLimit.enforce({ name: `${rule}-account`, limit: limit * factor, window }, account)
        }),
        session: Effect.fn("AuthLimits.session")(function* (rule, session_id) {
          const { session: limit, window } = rules[rule]
          yield* rateLimit.enforce({ name: `${rule}-session`, limit: limit * factor, window }, session_id)
        }),
        confirmation: Effect.fn("AuthLimits.confirmation")(function* (session_id, attempt) {
          const { session: limit, window } = rules.password
          return yield* counted({ name: "password-session", limit: limit * factor, window }, session_id, attempt)
        }),
        passkey: Effect.fn("AuthLimits.passkey")(function* (attempt) {
          const { address: limit, window } = rules.passkey
          return yield* counted(
            { name: "passkey-address", limit: limit * factor, window },
            yield* client.limited,
            attempt
          )
        }),
        otp: Effect.fn("AuthLimits.otp")(function* (account, attempt) {
          const { account: limit, window } = rules.otp
          return yield* counted({ name: "otp-account", limit: limit * factor, window }, account, attempt)
        }),
        login: Effect.fn("AuthLimits.login")(function* (account, pass, attempt) {
          const { account: limit, address, both, pass: perPass, window } = rules.login
          if (Option.isSome(pass)) {
            const withPass = { name: "login-pass", limit: perPass * factor, window }
            yield* rateLimit.enforce(withPass, pass.value)
            return yield* Effect.tap(attempt, rateLimit.giveBack(withPass, pass.value))
          }
          const from = yield* client.limited
          const everywhere = { name: "login-account", limit: limit * factor, window }
          const here = { name: "login-account-address", limit: both * factor, window }
          const key = `${from} ${account}`
          yield* rateLimit
            .enforce({ name: "login-address", limit: address * factor, window }, from)
            .pipe(
              Effect.andThen(rateLimit.enforce(here, key)),
              Effect.andThen(rateLimit.enforce(everywhere, account)),
              withUnlock
            )
          const answer = yield* attempt
          yield* rateLimit.giveBack(here, key)
          yield* rateLimit.giveBack(everywhere, account)
          return answer
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ClientAddress.layer))
}
