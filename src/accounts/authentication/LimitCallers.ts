import { Config, Duration, Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import { RateLimit } from "../../platform/requests/RateLimit.ts"
import * as Setting from "../../platform/settings/IntegerSetting.ts"
import type { UserId } from "../User.ts"

const hasCredentials = ({ headers }: IncomingMessage) =>
  headers["x-api-key"] !== undefined || headers.authorization !== undefined

/** Applies the global rate limit to accounts, and to addresses of clients without valid credentials. */
export const make = Effect.gen(function* () {
  const client = yield* ClientAddress
  const rateLimit = yield* RateLimit
  const limit = yield* Setting.integer("RATE_LIMIT_PER_MINUTE", 1, 1_000_000).pipe(Config.withDefault(100))
  const rule = { name: "global", limit, window: Duration.minutes(1) }

  return {
    limitAddress: Effect.flatMap(client.limited, (address) => rateLimit.enforce(rule, `address:${address}`)),
    /**
     * Counts a request that has no credentials, in a plain call, and returns the headers that report the limit
     * (`RateLimit.enforceAt`). Undefined for a request with credentials.
     */
    limitAddressAt: (request: IncomingMessage, now: number) =>
      hasCredentials(request) ? undefined : rateLimit.enforceAt(rule, `address:${client.limitedOf(request)}`, now),
    /** Counts `uses` together: either all fit into the limit of the account, or none counts. */
    limitAccount: (user_id: UserId, uses = 1) => rateLimit.enforce(rule, `account:${user_id}`, uses)
  }
})
