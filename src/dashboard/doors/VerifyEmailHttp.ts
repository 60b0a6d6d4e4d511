import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { EmailVerification } from "../../accounts/sign-in/EmailVerification.ts"
import { tryAgain } from "../../pages/MessagePages.ts"
import type { Phrase } from "../../pages/Html.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import { emailVerified, verificationEnded, verifyEmailPage } from "./VerifyEmailPage.ts"
import { type Visitor, Visitors } from "../../pages/Visitors.ts"

const purpose = "verify-email"

/** The page on which a person with a mailed link verifies an email. The person may be signed in or not. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const changes = yield* CredentialChanges
    const verification = yield* EmailVerification
    const visitors = yield* Visitors
    const path = yield* pathOf(purpose)
    const emailPath = yield* pathOf("email")
    const homePath = yield* pathOf("")

    const show = (status: number, visitor: Visitor, problem?: Phrase) =>
      answer(status, verifyEmailPage({ problem, form_token: visitor.formToken(purpose) }))

    yield* router.add(
      "GET",
      path,
      visitors.page((visitor) => show(200, visitor))
    )

    const post = Effect.fnUntraced(function* (visitor: Visitor) {
      const { isGenuine } = yield* visitors.submission(visitor, purpose)
      if (!isGenuine) return yield* show(403, visitor, tryAgain)
      const token = (yield* RequestQuery.parameters).get("token") ?? ""
      return yield* verification.verify(token).pipe(
        Effect.andThen(changes.caughtUp),
        Effect.andThen(answer(200, emailVerified(homePath))),
        Effect.catchTag("EmailTokenInvalid", () => answer(400, verificationEnded(emailPath)))
      )
    })
    yield* router.add("POST", path, visitors.page(post))
  })
)
