import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { WrongCredentials } from "../../accounts/AccountErrors.ts"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { Email } from "../../accounts/Email.ts"
import { GivenPassword } from "../../accounts/passwords/Password.ts"
import { PasskeySignIn } from "../../accounts/sign-in/PasskeySignIn.ts"
import { SignIn } from "../../accounts/sign-in/SignIn.ts"
import { SignInPasses } from "../../accounts/sessions/SignInPasses.ts"
import { Brand } from "../../brand/Brand.ts"
import { markdownText } from "../../pages/MarkdownText.ts"
import { tryAgain, tryAgainIn } from "../../pages/MessagePages.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as PasskeyAnswer from "./PasskeyAnswer.ts"
import { signInPage } from "./SignInPage.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import * as TellBlocked from "./TellBlocked.ts"
import * as SignOutForm from "../../pages/SignOutForm.ts"
import { type Submission, type Visitor, Visitors } from "../../pages/Visitors.ts"
import { type Waiting, WaitingApps } from "./WaitingApps.ts"

const purpose = "sign-in"

/** A form has one email and one password. */
const credentials = Schema.decodeUnknownOption(
  Schema.Struct({ email: Schema.Tuple([Email]), password: Schema.Tuple([GivenPassword]) })
)

interface Again {
  readonly email?: string | undefined
  readonly fills?: boolean
  readonly problem?: Phrase
  /** The path of the page that mails a link to unlock signing in. */
  readonly unlockPath?: string
}

/** The page on which a person signs in, also for an app that waits, and the form that signs out. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const limits = yield* AuthLimits
    const passes = yield* SignInPasses
    const passkeys = yield* PasskeySignIn
    const signIn = yield* SignIn
    const visitors = yield* Visitors
    const waitingApps = yield* WaitingApps
    const path = yield* pathOf("sign-in")
    const forgotPath = yield* pathOf("forgot-password")
    const unlockPath = yield* pathOf("unlock")
    const tellBlocked = yield* TellBlocked.make
    const intro = markdownText((yield* Brand).pages["sign-in"])

    const show = Effect.fnUntraced(function* (status: number, visitor: Visitor, waiting: Waiting, again: Again = {}) {
      const offer = Option.getOrUndefined(yield* passkeys.offer(visitor.browser_hash))
      const form_token = visitor.formToken(purpose)
      return yield* answer(status, signInPage({ ...again, intro, waiting, forgotPath, offer, form_token }))
    })

    const first = waitingApps.doorway((visitor, waiting) => show(200, visitor, waiting))
    yield* router.add("GET", path, first)

    const attempt = Effect.fnUntraced(function* ({ all }: Submission, { browser_hash, known }: Visitor) {
      const given = credentials({ email: all("email"), password: all("password") })
      if (Option.isNone(given)) {
        yield* limits.address("login")
        return yield* new WrongCredentials()
      }
      const {
        email: [email],
        password: [password]
      } = given.value
      const unlock = (yield* RequestQuery.parameters).get("unlock") ?? undefined
      const pass = yield* passes.find({ email, browser: known, unlock })
      return yield* limits.login(email, pass, signIn.inBrowser(email, password, { hash: browser_hash, known }))
    })

    /** A form with a passkey has neither email nor password. */
    const begun = Effect.fnUntraced(function* (form: Submission, visitor: Visitor) {
      const { browser_hash: hash, known } = visitor
      const passkey = PasskeyAnswer.read(form)
      if (passkey === undefined) return yield* attempt(form, visitor)
      return yield* limits.passkey(passkeys.complete({ hash, known }, passkey))
    })

    const post = Effect.fnUntraced(function* (visitor: Visitor) {
      const waiting = yield* waitingApps.current(visitor)
      const form = yield* visitors.submission(visitor, purpose)
      // A browser may answer the offer in the field by itself, without end when the passkey is refused.
      const fills = PasskeyAnswer.read(form) === undefined
      const again = (status: number, problem: Phrase, more: Again = {}) =>
        show(status, visitor, waiting, { email: form.field("email"), fills, problem, ...more })
      if (!form.isGenuine) return yield* again(403, tryAgain)
      return yield* begun(form, visitor).pipe(
        Effect.tap(visitors.endSession),
        Effect.map((cookies) => visitors.signIn(redirect(waiting.nextPath), cookies)),
        Effect.catchTags({
          ...PasskeyAnswer.refusals((problem) => again(401, problem)),
          WrongCredentials: () => again(401, text("sign_in.wrong")),
          SignInBlocked: tellBlocked,
          OtpRequired: () => Effect.succeed(redirect(waiting.codePath)),
          RateLimited: (limited) =>
            again(429, text("form.too_many_attempts", { when: tryAgainIn(limited) }), { unlockPath })
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
