import { Effect, Result, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { Email } from "../../accounts/Email.ts"
import { NewPassword } from "../../accounts/passwords/Password.ts"
import { SignUp } from "../../accounts/sign-in/SignUp.ts"
import { Name } from "../../accounts/User.ts"
import { Brand } from "../../brand/Brand.ts"
import { Text } from "../../platform/fields/Text.ts"
import { readFields } from "../../pages/FormFields.ts"
import { markdownText } from "../../pages/MarkdownText.ts"
import { tryAgain, tryAgainIn } from "../../pages/MessagePages.ts"
import { text } from "../../pages/Html.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import * as PageCookies from "../../pages/PageCookies.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import { type Registering, registerPage } from "./RegisterPage.ts"
import { type Submission, type Visitor, Visitors } from "../../pages/Visitors.ts"
import { type Waiting, WaitingApps } from "./WaitingApps.ts"

const purpose = "register"

const Registration = Schema.Struct({
  email: Email,
  password: NewPassword,
  name: Schema.optionalKey(Name),
  referral_code: Schema.optionalKey(Text(1, 64))
})

const messages = {
  email: text("form.email_wrong"),
  password: text("form.password_wrong"),
  name: text("register.name_wrong"),
  referral_code: text("register.referral_code_wrong")
} as const

type Typed = Pick<Submission, "field">

/** The form of a referral link, which has the code in its query. */
const fromLink = Effect.map(RequestQuery.parameters, (query): Typed => ({
  field: (name) => (name === "referral_code" ? (query.get(name) ?? undefined) : undefined)
}))

type Wrong = Pick<Registering, "faults" | "problem">

/** The page on which a person creates an account, also for an app that waits. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const limits = yield* AuthLimits
    const signUp = yield* SignUp
    const languageOf = yield* PageCookies.makeLanguage
    const visitors = yield* Visitors
    const waitingApps = yield* WaitingApps
    const path = yield* pathOf("register")
    const intro = markdownText((yield* Brand).pages.register)

    const show = (status: number, visitor: Visitor, waiting: Waiting, form: Typed, wrong: Wrong = {}) =>
      answer(
        status,
        registerPage({
          waiting,
          intro,
          form_token: visitor.formToken(purpose),
          values: {
            email: form.field("email"),
            name: form.field("name"),
            referral_code: form.field("referral_code")
          },
          ...wrong
        })
      )

    yield* router.add(
      "GET",
      path,
      waitingApps.doorway((visitor, waiting) => Effect.flatMap(fromLink, (form) => show(200, visitor, waiting, form)))
    )

    const post = Effect.fnUntraced(function* (visitor: Visitor) {
      const waiting = yield* waitingApps.current(visitor)
      const form = yield* visitors.submission(visitor, purpose)
      const again = (status: number, wrong: Wrong) => show(status, visitor, waiting, form, wrong)
      if (!form.isGenuine) return yield* again(403, { problem: tryAgain })
      const registration = readFields(Registration, messages, form)
      if (Result.isFailure(registration)) return yield* again(422, { faults: registration.failure })
      const language = yield* languageOf
      return yield* limits.registration(signUp.inBrowser({ ...registration.success, language }, visitor.known)).pipe(
        Effect.tap(visitors.endSession),
        Effect.map((cookies) => visitors.signIn(redirect(waiting.nextPath), cookies)),
        Effect.catchTags({
          EmailTaken: () => again(409, { faults: { email: text("register.email_taken") } }),
          // The form was checked above, so only the provider of the email or the referral code can be refused.
          RequestInvalid: ({ detail }) =>
            again(422, {
              faults: detail.some(({ loc }) => loc.includes("email"))
                ? { email: text("register.email_throw_away") }
                : { referral_code: messages.referral_code }
            }),
          RateLimited: (limited) => again(429, { problem: text("register.too_many", { when: tryAgainIn(limited) }) })
        })
      )
    })
    yield* router.add("POST", path, visitors.page(post))
  })
)
