import { Effect, Option, Result, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { Email } from "../../accounts/Email.ts"
import { GivenPassword } from "../../accounts/passwords/Password.ts"
import { EmailVerification } from "../../accounts/sign-in/EmailVerification.ts"
import type { User } from "../../accounts/User.ts"
import { Users } from "../../accounts/users/Users.ts"
import { emailPage } from "./EmailPage.ts"
import { readFields } from "../../pages/FormFields.ts"
import { tryAgain, tryAgainIn } from "../../pages/MessagePages.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import { type Visitor, Visitors } from "../../pages/Visitors.ts"

type Outcome = "changed" | "mailed" | "verified"

/** The notices on the page after a request. */
const notices: ReadonlyMap<string, Phrase> = new Map<Outcome, Phrase>([
  ["changed", text("email.changed")],
  ["mailed", text("email.mailed")],
  ["verified", text("email.verified_already")]
])

const Change = Schema.Struct({ email: Email, password: Schema.optionalKey(GivenPassword) })

const messages = {
  email: text("form.email_wrong"),
  password: text("email.password_missing")
} as const

type Faults = Readonly<Partial<Record<keyof typeof messages, Phrase>>>

interface Again {
  readonly typed?: string | undefined
  readonly faults?: Faults
  readonly problem?: Phrase
}

const done = (path: string, outcome: Outcome) => redirect(`${path}?outcome=${outcome}`)

const changePurpose = (user: User) => `email:${user.id}`
const resendPurpose = (user: User) => `email-resend:${user.id}`

/** Shows the page of a person's email. */
const makeShow = Effect.gen(function* () {
  const answer = yield* makeAnswer
  const resendPath = yield* pathOf("email/resend")
  const backPath = yield* pathOf("")
  return Effect.fnUntraced(function* (status: number, visitor: Visitor, user: User, again: Again = {}) {
    const outcome = (yield* RequestQuery.parameters).get("outcome") ?? ""
    const { email, email_verified: isVerified } = user
    const tokens = { change: visitor.formToken(changePurpose(user)), resend: visitor.formToken(resendPurpose(user)) }
    const notice = status === 200 ? notices.get(outcome) : undefined
    return yield* answer(status, emailPage({ email, isVerified, resendPath, backPath, tokens, notice, ...again }))
  })
})

type Show = Effect.Success<typeof makeShow>
type Handler<E, R> = (visitor: Visitor, user: User) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Changes the email. */
const makeChange = Effect.fnUntraced(function* (show: Show, path: string, signInPath: string) {
  const changes = yield* CredentialChanges
  const limits = yield* AuthLimits
  const users = yield* Users
  const visitors = yield* Visitors
  return Effect.fnUntraced(function* (visitor: Visitor, user: User) {
    const form = yield* visitors.submission(visitor, changePurpose(user))
    const again = (status: number, wrong: Omit<Again, "typed">) =>
      show(status, visitor, user, { typed: form.field("email"), ...wrong })
    if (!form.isGenuine) return yield* again(403, { problem: tryAgain })
    const given = readFields(Change, messages, form)
    if (Result.isFailure(given)) return yield* again(422, { faults: given.failure })
    if (given.success.email === user.email) return yield* again(422, { faults: { email: text("email.same") } })
    return yield* limits.account("email-verification", user.id).pipe(
      Effect.andThen(users.update(user.id, given.success)),
      Effect.andThen(changes.caughtUp),
      Effect.as(done(path, "changed")),
      Effect.catchTags({
        EmailTaken: () => again(409, { faults: { email: text("email.taken") } }),
        WrongPassword: () => again(403, { faults: { password: text("email.password_wrong") } }),
        // The form was checked above, so only the password can be missing.
        RequestInvalid: () => again(422, { faults: { password: messages.password } }),
        RateLimited: (limited) => again(429, { problem: text("email.changed_often", { when: tryAgainIn(limited) }) }),
        UserNotFound: () => Effect.succeed(redirect(signInPath))
      })
    )
  })
})

/** Mails the link of the verification again. */
const makeResend = Effect.fnUntraced(function* (show: Show, path: string) {
  const limits = yield* AuthLimits
  const verification = yield* EmailVerification
  const visitors = yield* Visitors
  return Effect.fnUntraced(function* (visitor: Visitor, user: User) {
    const { isGenuine } = yield* visitors.submission(visitor, resendPurpose(user))
    if (!isGenuine) return yield* show(403, visitor, user, { problem: tryAgain })
    return yield* limits.account("email-verification", user.id).pipe(
      Effect.andThen(verification.resend(user.id)),
      Effect.as(done(path, "mailed")),
      Effect.catchTags({
        EmailVerified: () => Effect.succeed(done(path, "verified")),
        RateLimited: (limited) =>
          show(429, visitor, user, { problem: text("email.asked_often", { when: tryAgainIn(limited) }) })
      })
    )
  })
})

/** The page on which a person sees and changes the email of the account, and asks for the link of the verification again. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const visitors = yield* Visitors
    const path = yield* pathOf("email")
    const signInPath = yield* pathOf("sign-in")
    const show = yield* makeShow

    /** Runs a handler for the person who is signed in; redirects others to the page for that. */
    const signedIn = <E, R>(handler: Handler<E, R>) =>
      visitors.page((visitor) =>
        Option.match(visitor.signedIn, {
          onNone: () => Effect.succeed(redirect(signInPath)),
          onSome: ({ user }) => handler(visitor, user)
        })
      )

    yield* router.add(
      "GET",
      path,
      signedIn((visitor, user) => show(200, visitor, user))
    )
    yield* router.add("POST", path, signedIn(yield* makeChange(show, path, signInPath)))
    yield* router.add("POST", `${path}/resend`, signedIn(yield* makeResend(show, path)))
  })
)
