import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { WrongCredentials } from "../accounts/AccountErrors.ts"
import { AuthLimits } from "../accounts/AuthLimits.ts"
import { Email } from "../accounts/Email.ts"
import { GivenPassword } from "../accounts/Password.ts"
import { SignIn } from "../accounts/SignIn.ts"
import { tryAgain, tryAgainIn } from "./MessagePages.ts"
import { answer, redirect } from "./PageAnswer.ts"
import { pathOf } from "./PagePaths.ts"
import { signInPage } from "./SignInPage.ts"
import * as SignOutForm from "./SignOutForm.ts"
import { type Submission, type Visitor, Visitors } from "./Visitors.ts"
import { type Waiting, WaitingApps } from "./WaitingApps.ts"

const purpose = "sign-in"

const credentials = Schema.decodeUnknownOption(Schema.Struct({ email: Email, password: GivenPassword }))

const show = (status: number, visitor: Visitor, waiting: Waiting, email?: string, problem?: string) =>
  answer(status, signInPage({ waiting, email, problem, form_token: visitor.formToken(purpose) }))

/** Signing in, for its own sake or for an app that waits, and signing out. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const limits = yield* AuthLimits
    const signIn = yield* SignIn
    const visitors = yield* Visitors
    const waitingApps = yield* WaitingApps
    const path = yield* pathOf("sign-in")

    yield* router.add(
      "GET",
      path,
      waitingApps.doorway((visitor, waiting) => show(200, visitor, waiting))
    )

    const attempt = Effect.fnUntraced(function* ({ field }: Submission) {
      yield* limits.address("login")
      const given = credentials({ email: field("email"), password: field("password") })
      if (Option.isNone(given)) return yield* new WrongCredentials()
      const { email, password } = given.value
      return yield* limits.login(email, signIn.inBrowser(email, password))
    })

    const post = Effect.fnUntraced(function* (visitor: Visitor) {
      const waiting = yield* waitingApps.current(visitor)
      const form = yield* visitors.submission(visitor, purpose)
      const again = (status: number, problem: string) => show(status, visitor, waiting, form.field("email"), problem)
      if (!form.isGenuine) return again(403, tryAgain)
      return yield* attempt(form).pipe(
        Effect.tap(visitors.endSession),
        Effect.map((token) => visitors.signIn(redirect(waiting.nextPath), token)),
        Effect.catchTags({
          WrongCredentials: ({ detail }) => Effect.succeed(again(401, `${detail}.`)),
          RateLimited: (limited) => Effect.succeed(again(429, `Too many attempts. ${tryAgainIn(limited)}`))
        })
      )
    })
    yield* router.add("POST", path, visitors.page(post))

    const signOut = Effect.fnUntraced(function* (visitor: Visitor) {
      const { nextPath, signInPath } = yield* waitingApps.current(visitor)
      const { isGenuine } = yield* visitors.submission(visitor, SignOutForm.purpose)
      if (!isGenuine) return redirect(nextPath)
      yield* visitors.endSession
      return visitors.signOut(redirect(signInPath))
    })
    yield* router.add("POST", yield* pathOf("sign-out"), visitors.page(signOut))
  })
)
