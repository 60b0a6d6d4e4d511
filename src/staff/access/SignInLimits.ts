import { Config, Duration, Effect } from "effect"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import { RateLimit } from "../../platform/requests/RateLimit.ts"
import * as Setting from "../../platform/settings/IntegerSetting.ts"

/** Failed guesses of a password or a code in 15 minutes, of one address and of one account. */
const guesses = 5

/** Limits guesses. `AUTH_RATE_LIMIT_FACTOR` multiplies the limit. */
export const make = Effect.gen(function* () {
  const client = yield* ClientAddress
  const rateLimit = yield* RateLimit
  const factor = yield* Setting.integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1))
  const rule = (name: string) => ({ name, limit: guesses * factor, window: Duration.minutes(15) })
  const [ofAddress, ofAccount] = [rule("admin-sign-in-address"), rule("admin-sign-in-account")]

  return {
    /** Runs an attempt of which only a failure counts. */
    guess: Effect.fnUntraced(function* <A, E, R>(email: string, attempt: Effect.Effect<A, E, R>) {
      const address = yield* client.limited
      yield* rateLimit.enforce(ofAddress, address)
      yield* rateLimit.enforce(ofAccount, email)
      const answer = yield* attempt
      yield* rateLimit.giveBack(ofAddress, address)
      yield* rateLimit.giveBack(ofAccount, email)
      return answer
    })
  }
})
