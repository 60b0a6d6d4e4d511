import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { OtpInvalid } from "../../accounts/AccountErrors.ts"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { Otp } from "../../accounts/second-factor/Otp.ts"
import { PasskeySignIn } from "../../accounts/sign-in/PasskeySignIn.ts"
import { SignIn } from "../../accounts/sign-in/SignIn.ts"
import { Brand } from "../../brand/Brand.ts"
import { tryAgain, tryAgainIn } from "../../pages/MessagePages.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { supportLinks } from "../../pages/SupportLink.ts"
import { type Submission, type Visitor, Visitors } from "../../pages/Visitors.ts"
import { codePage, signInEnded } from "./CodePage.ts"
import * as PasskeyAnswer from "./PasskeyAnswer.ts"
import * as TellBlocked from "./TellBlocked.ts"
import { type Waiting, WaitingApps } from "./WaitingApps.ts"

const purpose = "sign-in-code"

/** A form has one code. */
const decodeOtp = Schema.decodeUnknownOption(Schema.Tuple([Otp]))

/** The page that asks for the second factor, after the right password. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const limits = yield* AuthLimits
    const passkeys = yield* PasskeySignIn
    const signIn = yield* SignIn
    const visitors = yield* Visitors
    const waitingApps = yield* WaitingApps
    const path = yield* pathOf("sign-in/code")
    const support = supportLinks(yield* Brand)
    const tellBlocked = yield* TellBlocked.make

    const show = Effect.fnUntraced(function* (
      status: number,
      visitor: Visitor,
      { app, signInPath }: Waiting,
      problem?: Phrase
    ) {
      const offer = Option.getOrUndefined(yield* passkeys.secondOffer(visitor.browser_hash))
      const form_token = visitor.formToken(purpose)
      return yield* answer(status, codePage({ app, signInPath, support, problem, offer, form_token }))
    })

    yield* router.add(
      "GET",
      path,
      waitingApps.doorway(
        Effect.fnUntraced(function* (visitor, waiting) {
          if (!(yield* signIn.isWaiting(visitor.browser_hash))) return redirect(waiting.signInPath)
          return yield* show(200, visitor, waiting)
        })
      )
    )

    const attempt = Effect.fnUntraced(function* ({ browser_hash: hash, known }: Visitor, form: Submission) {
      const passkey = PasskeyAnswer.read(form)
      if (passkey !== undefined) return yield* limits.passkey(passkeys.completeSecond({ hash, known }, passkey))
      const given = decodeOtp(form.all("otp"))
      if (Option.isNone(given)) return yield* new OtpInvalid({ details: {} })
      return yield* signIn.withOtp({ hash, known }, given.value[0])
    })

    const post = Effect.fnUntraced(function* (visitor: Visitor) {
      const waiting = yield* waitingApps.current(visitor)
      const form = yield* visitors.submission(visitor, purpose)
      const again = (status: number, problem: Phrase) => show(status, visitor, waiting, problem)
      if (!form.isGenuine) return yield* again(403, tryAgain)
      return yield* attempt(visitor, form).pipe(
        Effect.tap(visitors.endSession),
        Effect.map((cookies) => visitors.signIn(redirect(waiting.nextPath), cookies)),
        Effect.catchTags({
          ...PasskeyAnswer.refusals((problem) => again(401, problem)),
          OtpInvalid: () => again(401, text("code.wrong")),
          SignInBlocked: tellBlocked,
          SignInExpired: () => answer(401, signInEnded(waiting.signInPath)),
          RateLimited: (limited) => again(429, text("form.too_many_attempts", { when: tryAgainIn(limited) }))
        })
      )
    })
    yield* router.add("POST", path, visitors.page(post))
  })
)
