import { Effect, Option } from "effect"
import { HttpRouter } from "effect/http"
import { Authorizations, type Began } from "../oauth/Authorizations.ts"
import { OAuthLimits } from "../oauth/OAuthLimits.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import type { RateLimited } from "../platform/requests/RateLimit.ts"
import { authorizationFailed, tooManyRequests } from "./MessagePages.ts"
import { answer, redirect } from "./PageAnswer.ts"
import { SignedIn } from "./PageLimits.ts"
import { pathOf } from "./PagePaths.ts"
import * as RequestQuery from "./RequestQuery.ts"
import { Visitors } from "./Visitors.ts"

const refused = (began: Exclude<Began, { _tag: "Pending" }>) =>
  began._tag === "Redirect" ? redirect(began.location) : answer(400, authorizationFailed(began))

/** Where an app sends the browser to (RFC 6749, section 3.1; specification section 4.11). */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { app_url, issuer } = yield* Addresses
    const authorizations = yield* Authorizations
    const limits = yield* OAuthLimits
    const visitors = yield* Visitors
    const consentPath = yield* pathOf("consent")

    const limited = <A, R>(rule: "authorize" | "authorize-pages", page: Effect.Effect<A, RateLimited, R>) =>
      Effect.gen(function* () {
        const signedIn = Option.map(yield* SignedIn, ({ user }) => user.id)
        yield* limits.visitor(rule, Option.getOrUndefined(signedIn))
        return yield* page
      }).pipe(Effect.catchTag("RateLimited", (limited) => Effect.succeed(answer(429, tooManyRequests(limited)))))

    const begin = (rule: "authorize" | "authorize-pages") =>
      limited(
        rule,
        visitors.page(
          Effect.fnUntraced(function* (visitor) {
            const began = yield* authorizations.begin(yield* RequestQuery.parameters, visitor.browser_hash)
            return began._tag === "Pending" ? redirect(`${consentPath}/${began.id}`) : refused(began)
          })
        )
      )

    if (new URL(app_url).origin === issuer) return yield* router.add("GET", "/oauth/authorize", begin("authorize"))

    // The cookies belong to the pages' host, so the request is kept there; what is wrong with it is told right here.
    yield* router.add("GET", yield* pathOf("authorize"), begin("authorize-pages"))
    yield* router.add(
      "GET",
      "/oauth/authorize",
      limited(
        "authorize",
        Effect.gen(function* () {
          const wrong = yield* authorizations.judge(yield* RequestQuery.parameters)
          return wrong === null ? redirect(`${app_url}/authorize?${yield* RequestQuery.text}`) : refused(wrong)
        })
      )
    )
  })
)
