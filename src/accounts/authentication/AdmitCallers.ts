import { Effect, Option } from "effect"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import * as AllowedAddress from "../AllowedAddress.ts"
import { ApiKeys } from "../api-keys/ApiKeys.ts"
import { AccountBlocked, AddressNotAllowed, Unauthorized } from "../Authentication.ts"
import * as LimitCallers from "./LimitCallers.ts"

/** Applies the global rate limit to callers of the API and the tool server, and authenticates API keys. */
export const make = Effect.gen(function* () {
  const apiKeys = yield* ApiKeys
  const client = yield* ClientAddress
  const { limitAccount, limitAddress } = yield* LimitCallers.make

  /** Counts a refused request for its address, so that strangers cannot use up the limit of an account. */
  const refuse = <E>(error: E) => Effect.andThen(limitAddress, Effect.fail(error))

  const findKey = Effect.fnUntraced(function* (key: string) {
    const apiKey = yield* apiKeys.find(key)
    if (Option.isNone(apiKey)) return yield* new Unauthorized()
    const { access_blocked, allowed_ips } = apiKey.value
    if (access_blocked) return yield* new AccountBlocked()
    if (allowed_ips !== null && !AllowedAddress.includes(allowed_ips, yield* client.current))
      return yield* new AddressNotAllowed()
    return apiKey.value
  })

  /** Finds the account of a key and ignores its scopes; null for an invalid key. */
  const accountOfKey = (key: string) =>
    Effect.orElseSucceed(
      Effect.map(findKey(key), ({ user_id }) => user_id),
      () => null
    )

  /** Finds the caller of a key that allows the client's address. */
  const byApiKey = Effect.fnUntraced(function* (key: string) {
    const apiKey = yield* Effect.catch(findKey(key), refuse)
    const { daily_spend_limit_usd, email_verified, id, scopes, user_id } = apiKey
    const credential = { _tag: "api_key" as const, api_key_id: id, scopes, daily_spend_limit_usd }
    return { apiKey, caller: { user_id, email_verified, credential } }
  })

  return { accountOfKey, byApiKey, limitAccount, limitAddress, markUsed: apiKeys.markUsed, refuse }
})
