import { Config, Duration, Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { pageNotFound, tooManyRequests } from "../../pages/MessagePages.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import { RateLimit } from "../../platform/requests/RateLimit.ts"
import { AdminUrl, PublicUrl } from "../../platform/settings/Addresses.ts"
import { integer } from "../../platform/settings/IntegerSetting.ts"
import { StaffCredentials } from "../../staff/access/StaffCredentials.ts"
import { Members } from "../../staff/members/Members.ts"

/**
 * Hides the back office while there is no staff, from addresses that it does not answer, and on other hosts than its own; and
 * limits the requests of an address.
 */
export const middleware = HttpRouter.middleware(
  Effect.gen(function* () {
    const answer = yield* makeAnswer
    const client = yield* ClientAddress
    const credentials = yield* StaffCredentials
    const factor = yield* integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1))
    const members = yield* Members
    const rateLimit = yield* RateLimit
    const rule = { name: "admin-pages", limit: 300 * factor, window: Duration.minutes(1) }
    const [own, shared] = [new URL(yield* AdminUrl).host, new URL(yield* PublicUrl).host]

    const isHere = Effect.map(
      HttpServerRequest.HttpServerRequest,
      ({ headers }) => own === shared || headers["host"] === own
    )
    const isOpen = Effect.gen(function* () {
      return (yield* isHere) && (yield* credentials.isAddressAllowed) && (yield* members.exist)
    })

    return (response) =>
      Effect.matchEffect(
        Effect.flatMap(client.limited, (address) => rateLimit.enforce(rule, address)),
        {
          onFailure: (limited) => answer(429, tooManyRequests(limited)),
          onSuccess: () => Effect.flatMap(isOpen, (open) => (open ? response : answer(404, pageNotFound)))
        }
      )
  })
)
