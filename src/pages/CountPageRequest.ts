import { Config, Duration, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { BrowserSessions } from "../accounts/sessions/BrowserSessions.ts"
import { ClientAddress } from "../platform/requests/ClientAddress.ts"
import { integer } from "../platform/settings/IntegerSetting.ts"
import { RateLimit } from "../platform/requests/RateLimit.ts"
import * as PageCookies from "./PageCookies.ts"

/** The limit of pages. `AUTH_RATE_LIMIT_FACTOR` multiplies it. */
const makeRule = Effect.map(integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1)), (factor) => ({
  name: "pages",
  limit: 300 * factor,
  window: Duration.minutes(1)
}))

/**
 * Counts a page request for the signed-in account and returns the account; without a valid session, counts for the client
 * address. It looks the session up first, so that forged sessions cannot use up the limit of an account.
 */
export const make = Effect.gen(function* () {
  const client = yield* ClientAddress
  const cookies = yield* PageCookies.names
  const rateLimit = yield* RateLimit
  const sessions = yield* BrowserSessions
  const rule = yield* makeRule

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const token = request.cookies[cookies.session]
    const signedIn = token === undefined ? Option.none() : yield* sessions.find(token)
    const key = Option.isSome(signedIn) ? `account:${signedIn.value.user.id}` : `address:${yield* client.limited}`
    yield* rateLimit.enforce(rule, key)
    return signedIn
  })
})

/**
 * Makes the function that counts a page request without a session, in a plain call, and returns the headers that report
 * the limit (`RateLimit.enforceAt`). Undefined for a request that may have a session.
 */
export const makeAt = Effect.gen(function* () {
  const client = yield* ClientAddress
  const rateLimit = yield* RateLimit
  const rule = yield* makeRule
  return (request: IncomingMessage, now: number) =>
    request.headers.cookie === undefined
      ? rateLimit.enforceAt(rule, `address:${client.limitedOf(request)}`, now)
      : undefined
})
