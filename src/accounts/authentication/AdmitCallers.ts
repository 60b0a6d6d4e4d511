import { Config, Duration, Effect, Option } from "effect"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import * as Setting from "../../platform/settings/IntegerSetting.ts"
import { RateLimit } from "../../platform/requests/RateLimit.ts"
import * as AllowedAddress from "../AllowedAddress.ts"
import { ApiKeys } from "../api-keys/ApiKeys.ts"
import { AddressNotAllowed, Unauthorized } from "../Authentication.ts"
import type { UserId } from "../User.ts"

/** The global rate limit and the callers by API key: the same at every door of the service. */
export const make = Effect.gen(function* () {
  const apiKeys = yield* ApiKeys
  const client = yield* ClientAddress
  const rateLimit = yield* RateLimit
  const limit = yield* Setting.integer("RATE_LIMIT_PER_MINUTE", 1, 1_000_000).pipe(Config.withDefault(100))
  const rule = { name: "global", limit, window: Duration.minutes(1) }

  const limitAddress = Effect.flatMap(client.limited, (address) => rateLimit.enforce(rule, `address:${address}`))

  /** Counts as so many uses at once: all of them fit into the account's limit, or none is counted. */
  const limitAccount = (user_id: UserId, uses = 1) => rateLimit.enforce(rule, `account:${user_id}`, uses)

  /** What is refused counts by address, so that nobody can spend another's limit. */
  const refuse = <E>(error: E) => Effect.andThen(limitAddress, Effect.fail(error))

  const findKey = Effect.fnUntraced(function* (key: string) {
    const apiKey = yield* apiKeys.find(key)
    if (Option.isNone(apiKey)) return yield* new Unauthorized()
    const { allowed_ips } = apiKey.value
    if (allowed_ips !== null && !AllowedAddress.includes(allowed_ips, yield* client.current))
      return yield* new AddressNotAllowed()
    return apiKey.value
  })

  /** The account of a key, however little the key may do. */
  const accountOfKey = (key: string) =>
    Effect.orElseSucceed(
      Effect.map(findKey(key), ({ user_id }) => user_id),
      () => null
    )

  /** The caller by a key that may be used from this address. */
  const byApiKey = Effect.fnUntraced(function* (key: string) {
    const apiKey = yield* Effect.catch(findKey(key), refuse)
    const { daily_spend_limit_usd, email_verified, id, scopes, user_id } = apiKey
    const credential = { _tag: "api_key" as const, api_key_id: id, scopes, daily_spend_limit_usd }
    return { apiKey, caller: { user_id, email_verified, credential } }
  })

  return { accountOfKey, byApiKey, limitAccount, limitAddress, markUsed: apiKeys.markUsed, refuse }
})
