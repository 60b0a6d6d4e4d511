import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { GivenPassword, NewPassword } from "../../accounts/passwords/Password.ts"
import { PasswordChanges } from "../../accounts/passwords/PasswordChanges.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { passwordFaults } from "../desk/PasswordFaults.ts"
import { passwordPage } from "./PasswordPage.ts"

// A person who can open this page has signed in with a password.
const Change = Schema.Struct({ current_password: GivenPassword, new_password: NewPassword })

const messages = {
  current_password: text("account.password_missing"),
  new_password: text("form.password_wrong")
} as const

const again = (visit: Visit, faults: Faults) => Effect.succeed(passwordPage(visit, faults))

/** The page on which a person changes the password. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* CredentialChanges
    const limits = yield* AuthLimits
    const pages = yield* Pages
    const passwords = yield* PasswordChanges
    const home = yield* pathOf("security")
    const path = yield* pathOf("account/password")

    const change = Effect.fnUntraced(function* ({ session_id, user }: Visit, given: typeof Change.Type) {
      yield* limits.session("password", session_id)
      yield* passwords.change({ user_id: user.id, session_id, ...given })
      yield* changes.caughtUp
      return redirect(`${home}?outcome=password`)
    })

    yield* router.add(
      "GET",
      path,
      pages.show((visit) => Effect.succeed(passwordPage(visit)))
    )
    yield* router.add(
      "POST",
      path,
      pages.take({ fields: Change, messages, again, act: change, told: passwordFaults("current_password") })
    )
  })
)
