import { Data, Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { EmailTaken } from "../../accounts/AccountErrors.ts"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { Email } from "../../accounts/Email.ts"
import { GivenPassword } from "../../accounts/passwords/Password.ts"
import { EmailVerification } from "../../accounts/sign-in/EmailVerification.ts"
import { Users } from "../../accounts/users/Users.ts"
import type { Faults } from "../../pages/Field.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import type { Failure } from "../../pages/FormFaults.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { emailPage } from "./EmailPage.ts"
import { passwordFaults } from "../desk/PasswordFaults.ts"

type Outcome = "changed" | "mailed" | "verified"

/** The notices on the page after a request. */
const notices: ReadonlyMap<string, Phrase> = new Map<Outcome, Phrase>([
  ["changed", text("email.changed")],
  ["mailed", text("email.mailed")],
  ["verified", text("email.verified_already")]
])

const Change = Schema.Struct({ email: Email, password: Schema.optionalKey(GivenPassword) })

const messages = { email: text("form.email_wrong"), password: text("account.password_missing") } as const

/** The form names the address that the account has already. */
class SameEmail extends Data.TaggedError("SameEmail")<{ readonly status: 422; readonly detail: string }> {}

const otherFaults = passwordFaults("password", (when) => text("email.changed_often", { when }))

const changeFaults = (failure: Failure): Faults => {
  if (failure instanceof SameEmail) return { email: text("email.same") }
  if (failure instanceof EmailTaken) return { email: text("email.taken") }
  // The form was checked before, so only the password can be missing.
  return failure instanceof RequestInvalid ? { password: messages.password } : otherFaults(failure)
}

const show = (visit: Visit) =>
  Effect.succeed(emailPage(visit, { notice: notices.get(visit.query.get("outcome") ?? "") }))

const again = (visit: Visit, faults: Faults, typed: Submission) =>
  Effect.succeed(emailPage(visit, { faults, typed: typed.field("email") }))

/** The page on which a person sees and changes the email of the account, and asks for the link of the verification again. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* CredentialChanges
    const limits = yield* AuthLimits
    const pages = yield* Pages
    const path = yield* pathOf("email")
    const users = yield* Users
    const verification = yield* EmailVerification

    const done = (outcome: Outcome) => redirect(`${path}?outcome=${outcome}`)

    const change = Effect.fnUntraced(function* ({ user }: Visit, given: typeof Change.Type) {
      if (given.email === user.email)
        return yield* new SameEmail({ status: 422, detail: "The account has this email already" })
      yield* limits.account("email-verification", user.id)
      yield* users.update(user.id, given)
      yield* changes.caughtUp
      return done("changed")
    })

    const resend = Effect.fnUntraced(function* ({ user }: Visit) {
      yield* limits.account("email-verification", user.id)
      return yield* Effect.match(verification.resend(user.id), {
        onSuccess: () => done("mailed"),
        onFailure: () => done("verified")
      })
    })

    const told = passwordFaults("", (when) => text("email.asked_often", { when }))
    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: Change, messages, again, act: change, told: changeFaults }))
    yield* router.add(
      "POST",
      `${path}/resend`,
      pages.take({ fields: Schema.Struct({}), messages: {}, again, act: resend, told })
    )
  })
)
