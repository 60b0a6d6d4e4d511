import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { NewPassword } from "../../accounts/passwords/Password.ts"
import { PasswordChanges } from "../../accounts/passwords/PasswordChanges.ts"
import { tryAgain, tryAgainIn } from "../../pages/MessagePages.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import { passwordReset, resetLinkEnded, resetPasswordPage } from "./ResetPasswordPage.ts"
import { type Visitor, Visitors } from "../../pages/Visitors.ts"

const purpose = "reset-password"

const decodePassword = Schema.decodeUnknownOption(NewPassword)

/** The page on which a person with a mailed link chooses a new password. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const changes = yield* CredentialChanges
    const passwords = yield* PasswordChanges
    const visitors = yield* Visitors
    const path = yield* pathOf(purpose)
    const forgotPath = yield* pathOf("forgot-password")
    const signInPath = yield* pathOf("sign-in")

    const show = (status: number, visitor: Visitor, wrong: { fault?: Phrase; problem?: Phrase } = {}) =>
      answer(status, resetPasswordPage({ ...wrong, form_token: visitor.formToken(purpose) }))

    yield* router.add(
      "GET",
      path,
      visitors.page((visitor) => show(200, visitor))
    )

    const post = Effect.fnUntraced(function* (visitor: Visitor) {
      const { field, isGenuine } = yield* visitors.submission(visitor, purpose)
      if (!isGenuine) return yield* show(403, visitor, { problem: tryAgain })
      const password = decodePassword(field("password"))
      if (Option.isNone(password)) return yield* show(422, visitor, { fault: text("form.password_wrong") })
      const token = (yield* RequestQuery.parameters).get("token") ?? ""
      return yield* passwords.reset(token, password.value).pipe(
        Effect.andThen(changes.caughtUp),
        Effect.andThen(answer(200, passwordReset(signInPath))),
        Effect.catchTags({
          EmailTokenInvalid: () => answer(400, resetLinkEnded(forgotPath)),
          RateLimited: (limited) =>
            show(429, visitor, { problem: text("form.too_many_attempts", { when: tryAgainIn(limited) }) })
        })
      )
    })
    yield* router.add("POST", path, visitors.page(post))
  })
)
