import { Effect, Option } from "effect"
import { HttpRouter } from "effect/http"
import { Authorizations, type Began } from "../../oauth/Authorizations.ts"
import { OAuthLimits } from "../../oauth/OAuthLimits.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import { authorizationFailed, tooManyRequests } from "../../pages/MessagePages.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { SignedIn } from "../../pages/PageLimits.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import { Visitors } from "../../pages/Visitors.ts"

/** The authorization endpoint, to which an app sends the browser (RFC 6749, section 3.1). */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { app_url, issuer } = yield* Addresses
    const answer = yield* makeAnswer
    const authorizations = yield* Authorizations
    const limits = yield* OAuthLimits
    const visitors = yield* Visitors
    const consentPath = yield* pathOf("consent")

    const refused = (began: Exclude<Began, { _tag: "Pending" }>) =>
      began._tag === "Redirect" ? Effect.succeed(redirect(began.location)) : answer(400, authorizationFailed(began))

    const limited = <A, R>(rule: "authorize" | "authorize-pages", page: Effect.Effect<A, RateLimited, R>) =>
      Effect.gen(function* () {
        const signedIn = Option.map(yield* SignedIn, ({ user }) => user.id)
        yield* limits.visitor(rule, Option.getOrUndefined(signedIn))
        return yield* page
      }).pipe(Effect.catchTag("RateLimited", (limited) => answer(429, tooManyRequests(limited))))

    const begin = (rule: "authorize" | "authorize-pages") =>
      limited(
        rule,
        visitors.page(
          Effect.fnUntraced(function* (visitor) {
            const began = yield* authorizations.begin(yield* RequestQuery.parameters, visitor.browser_hash)
            return yield* began._tag === "Pending"
              ? Effect.succeed(redirect(`${consentPath}/${began.id}`))
              : refused(began)
          })
        )
      )

    if (new URL(app_url).origin === issuer) return yield* router.add("GET", "/oauth/authorize", begin("authorize"))

    // The pages have a host of their own, and the cookies belong to it. So this host only checks the request and shows its
    // faults; the other host keeps it.
    yield* router.add("GET", yield* pathOf("authorize"), begin("authorize-pages"))
    yield* router.add(
      "GET",
      "/oauth/authorize",
      limited(
        "authorize",
        Effect.gen(function* () {
          const fault = yield* authorizations.judge(yield* RequestQuery.parameters)
          if (fault !== null) return yield* refused(fault)
          return redirect(`${app_url}/authorize?${yield* RequestQuery.text}`)
        })
      )
    )
  })
)
