import { Context, Duration, Effect, Layer } from "effect"
import type { UserId } from "../accounts/User.ts"
import { Flags } from "../flags/Flags.ts"
import { type RateLimited, RateLimit } from "../platform/requests/RateLimit.ts"
import { IpChecksDisabled } from "./IpCheckErrors.ts"

/** The feature flag of IP checks. */
export const flag = "ip_reputation.check.enabled"

/** The rate limits of each account (docs/contract.md, "Limits"). */
const rules = {
  checks: { name: "ip-checks", limit: 10, window: Duration.minutes(1) },
  surveys: { name: "ip-surveys", limit: 30, window: Duration.minutes(1) }
} as const

type Passage = Effect.Effect<void, IpChecksDisabled | RateLimited>

/** Checks the feature flag and the rate limits. */
export class IpCheckGate extends Context.Service<
  IpCheckGate,
  {
    readonly check: (caller: UserId) => Passage
    /** `override` is the account's override of the flag; null when it has none. With an override, this needs no query. */
    readonly survey: (caller: UserId, override: boolean | null) => Passage
  }
>()("app/ip-check/IpCheckGate") {
  static readonly layer = Layer.effect(
    IpCheckGate,
    Effect.gen(function* () {
      const flags = yield* Flags
      const rateLimit = yield* RateLimit

      return IpCheckGate.of({
        check: Effect.fn("IpCheckGate.check")(function* (caller) {
          if (!(yield* flags.enabled(flag, caller))) return yield* new IpChecksDisabled()
          yield* rateLimit.enforce(rules.checks, caller)
        }),
        survey: Effect.fn("IpCheckGate.survey")(function* (caller, override) {
          if (!(override ?? (yield* flags.enabled(flag)))) return yield* new IpChecksDisabled()
          yield* rateLimit.enforce(rules.surveys, caller)
        })
      })
    })
  )
}
