import { Config, Duration, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { BrowserSessions } from "../accounts/sessions/BrowserSessions.ts"
import { ClientAddress } from "../platform/requests/ClientAddress.ts"
import { integer } from "../platform/settings/IntegerSetting.ts"
import { RateLimit } from "../platform/requests/RateLimit.ts"
import * as PageCookies from "./PageCookies.ts"

/**
 * Counts a request for the account whose session the browser holds, and answers who that is; without a session that
 * holds, for the client's address. The session is looked up first, as API keys are, so that strangers cannot use up the
 * requests of an account by sending made-up sessions from its address. `AUTH_RATE_LIMIT_FACTOR` multiplies the limit.
 */
export const make = Effect.gen(function* () {
  const client = yield* ClientAddress
  const cookies = yield* PageCookies.names
  const rateLimit = yield* RateLimit
  const sessions = yield* BrowserSessions
  const factor = yield* integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1))
  const rule = { name: "pages", limit: 300 * factor, window: Duration.minutes(1) }

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const token = request.cookies[cookies.session]
    const signedIn = token === undefined ? Option.none() : yield* sessions.find(token)
    const key = Option.isSome(signedIn) ? `account:${signedIn.value.user.id}` : `address:${yield* client.limited}`
    yield* rateLimit.enforce(rule, key)
    return signedIn
  })
})
