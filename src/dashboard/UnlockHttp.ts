import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { AuthLimits } from "../accounts/AuthLimits.ts"
import { Email } from "../accounts/Email.ts"
import { SignInPasses } from "../accounts/sessions/SignInPasses.ts"
import type { RateLimited } from "../platform/requests/RateLimit.ts"
import { tryAgain, tryAgainIn } from "./MessagePages.ts"
import { answer } from "./PageAnswer.ts"
import { pathOf } from "./PagePaths.ts"
import { unlockMailed, unlockPage } from "./UnlockPage.ts"
import { type Visitor, Visitors } from "./Visitors.ts"

const purpose = "unlock"

const askedBefore = "You requested links a short time ago. Look for our mail: a link works for two hours."

const decodeEmail = Schema.decodeUnknownOption(Email)

const show = (status: number, visitor: Visitor, email?: string, problem?: string) =>
  answer(status, unlockPage({ email, problem, form_token: visitor.formToken(purpose) }))

/** The page that mails a link to sign in after wrong passwords locked signing in. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const limits = yield* AuthLimits
    const passes = yield* SignInPasses
    const visitors = yield* Visitors
    const path = yield* pathOf("unlock")

    yield* router.add(
      "GET",
      path,
      visitors.page((visitor) => Effect.succeed(show(200, visitor)))
    )

    const ask = Effect.fnUntraced(function* (email: string) {
      yield* limits.account("login-unlock", email)
      yield* passes.mail(email)
      return answer(200, unlockMailed)
    })

    const post = Effect.fnUntraced(function* (visitor: Visitor) {
      const { field, isGenuine } = yield* visitors.submission(visitor, purpose)
      const typed = field("email")
      const again = (status: number, problem: string) => Effect.succeed(show(status, visitor, typed, problem))
      const later = (problem: string) => (limited: RateLimited) => again(429, `${problem} ${tryAgainIn(limited)}`)
      if (!isGenuine) return yield* again(403, tryAgain)
      return yield* limits.address("login-unlock").pipe(
        // Other people may have used up this limit, so the visitor may have no mail.
        Effect.matchEffect({
          onFailure: later("Your network requested too many links."),
          onSuccess: () =>
            Option.match(decodeEmail(typed), {
              onNone: () => again(422, "Enter an email address, such as ada@example.com"),
              onSome: (email) => Effect.catchTag(ask(email), "RateLimited", later(askedBefore))
            })
        })
      )
    })
    yield* router.add("POST", path, visitors.page(post))
  })
)
