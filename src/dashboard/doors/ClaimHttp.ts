import { Effect, Result, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { Email } from "../../accounts/Email.ts"
import { NewPassword } from "../../accounts/passwords/Password.ts"
import { AgentLimits } from "../../agents/AgentLimits.ts"
import { AgentRegistration } from "../../agents/AgentRegistration.ts"
import { type Claiming, claimed, claimPage } from "./ClaimPage.ts"
import { readFields } from "../../pages/FormFields.ts"
import { tryAgain, tryAgainIn } from "../../pages/MessagePages.ts"
import { text } from "../../pages/Html.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import * as PageCookies from "../../pages/PageCookies.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { type Submission, type Visitor, Visitors } from "../../pages/Visitors.ts"

const purpose = "claim"

const Claim = Schema.Struct({
  claim_token: Schema.Trim.check(Schema.isNonEmpty()),
  email: Email,
  password: NewPassword
})

const messages = {
  claim_token: text("claim.token_missing"),
  email: text("form.email_wrong"),
  password: text("form.password_wrong")
} as const

type Wrong = Pick<Claiming, "faults" | "problem">

/** The page on which a person claims an agent's account. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const limits = yield* AgentLimits
    const registrations = yield* AgentRegistration
    const languageOf = yield* PageCookies.makeLanguage
    const visitors = yield* Visitors
    const path = yield* pathOf("claim")
    const signInPath = yield* pathOf("sign-in")

    const show = (status: number, visitor: Visitor, form?: Submission, wrong: Wrong = {}) =>
      answer(
        status,
        claimPage({
          form_token: visitor.formToken(purpose),
          claim_token: form?.field("claim_token"),
          email: form?.field("email"),
          ...wrong
        })
      )

    yield* router.add(
      "GET",
      path,
      visitors.page((visitor) => show(200, visitor))
    )

    const post = Effect.fnUntraced(function* (visitor: Visitor) {
      const form = yield* visitors.submission(visitor, purpose)
      const again = (status: number, wrong: Wrong) => show(status, visitor, form, wrong)
      if (!form.isGenuine) return yield* again(403, { problem: tryAgain })
      const claim = readFields(Claim, messages, form)
      if (Result.isFailure(claim)) return yield* again(422, { faults: claim.failure })
      const language = yield* languageOf
      return yield* Effect.andThen(limits.address("claim"), registrations.claim({ ...claim.success, language })).pipe(
        Effect.andThen(answer(200, claimed(claim.success.email, signInPath))),
        Effect.catchTags({
          ClaimTokenInvalid: () => again(400, { faults: { claim_token: text("claim.token_wrong") } }),
          EmailTaken: () => again(409, { faults: { email: text("claim.email_taken") } }),
          RateLimited: (limited) =>
            again(429, { problem: text("form.too_many_attempts", { when: tryAgainIn(limited) }) })
        })
      )
    })
    yield* router.add("POST", path, visitors.page(post))
  })
)
