import { Config, Duration, Effect } from "effect"
import { ClientAddress } from "./ClientAddress.ts"
import { integer } from "./IntegerSetting.ts"
import { RateLimit } from "./RateLimit.ts"

/**
 * Limits pages: of one client address without a session, and of one account with one. `AUTH_RATE_LIMIT_FACTOR`
 * multiplies the limit.
 */
export const make = Effect.gen(function* () {
  const client = yield* ClientAddress
  const rateLimit = yield* RateLimit
  const factor = yield* integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1))
  const rule = { name: "pages", limit: 300 * factor, window: Duration.minutes(1) }
  const keyOf = (kind: "stranger" | "claimant") => Effect.map(client.limited, (address) => `${kind}:${address}`)

  return {
    /**
     * Counts a request for its address. A claimant brings a session that was not looked up yet, and is counted apart, so
     * that strangers at the same address cannot lock it out.
     */
    address: (kind: "stranger" | "claimant") => Effect.flatMap(keyOf(kind), (key) => rateLimit.enforce(rule, key)),
    /** Counts a claimant's request for its account instead: the session holds. */
    account: (account: string) =>
      Effect.flatMap(keyOf("claimant"), (key) =>
        Effect.andThen(rateLimit.giveBack(rule, key), rateLimit.enforce(rule, `account:${account}`))
      )
  }
})
