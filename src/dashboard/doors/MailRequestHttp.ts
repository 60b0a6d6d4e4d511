import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { Email } from "../../accounts/Email.ts"
import { PasswordChanges } from "../../accounts/passwords/PasswordChanges.ts"
import { SignInPasses } from "../../accounts/sessions/SignInPasses.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import { mailRequestPage, type MailRequestWords, mailSent } from "./MailRequestPage.ts"
import { tryAgain, tryAgainIn } from "../../pages/MessagePages.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { type Visitor, Visitors } from "../../pages/Visitors.ts"

interface MailRequest {
  /** The path of the page, and the purpose of its form. */
  readonly name: "unlock" | "forgot-password"
  readonly rule: "login-unlock" | "password-reset"
  /** How long the link works. */
  readonly works: Phrase
  readonly words: MailRequestWords
  readonly send: (email: string) => Effect.Effect<void>
}

const decodeEmail = Schema.decodeUnknownOption(Email)

const fromNetwork = (when: Phrase) => text("mail_link.network_limited", { when })

/** Adds a page that mails a link to the address of an account. */
const add = Effect.fnUntraced(function* (
  router: HttpRouter.HttpRouter,
  { name, rule, send, words, works }: MailRequest
) {
  const answer = yield* makeAnswer
  const limits = yield* AuthLimits
  const visitors = yield* Visitors
  const path = yield* pathOf(name)
  const signInPath = yield* pathOf("sign-in")

  const show = (status: number, visitor: Visitor, email?: string, problem?: Phrase) =>
    answer(status, mailRequestPage({ words, email, problem, signInPath, form_token: visitor.formToken(name) }))

  yield* router.add(
    "GET",
    path,
    visitors.page((visitor) => show(200, visitor))
  )

  const ask = Effect.fnUntraced(function* (email: string) {
    yield* limits.account(rule, email)
    yield* send(email)
    return yield* answer(200, mailSent(words, signInPath))
  })

  const askedBefore = (when: Phrase) => text("mail_link.limited", { duration: works, when })

  const post = Effect.fnUntraced(function* (visitor: Visitor) {
    const { field, isGenuine } = yield* visitors.submission(visitor, name)
    const typed = field("email")
    const again = (status: number, problem: Phrase) => show(status, visitor, typed, problem)
    const later = (problem: (when: Phrase) => Phrase) => (limited: RateLimited) =>
      again(429, problem(tryAgainIn(limited)))
    if (!isGenuine) return yield* again(403, tryAgain)
    return yield* limits.address(rule).pipe(
      // Other people may have used up this limit, so the visitor may have no mail.
      Effect.matchEffect({
        onFailure: later(fromNetwork),
        onSuccess: () =>
          Option.match(decodeEmail(typed), {
            onNone: () => again(422, text("form.email_wrong")),
            onSome: (email) => Effect.catchTag(ask(email), "RateLimited", later(askedBefore))
          })
      })
    )
  })
  yield* router.add("POST", path, visitors.page(post))
})

/** The page that mails a link to sign in after wrong passwords locked signing in. */
const unlock = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { mail } = yield* SignInPasses
    yield* add(router, {
      name: "unlock",
      rule: "login-unlock",
      works: text("unlock.duration"),
      words: {
        title: text("unlock.title"),
        about: text("unlock.about"),
        next: text("unlock.next")
      },
      send: mail
    })
  })
)

/** The page that mails a link to choose a new password. */
const forgotPassword = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { forgot } = yield* PasswordChanges
    yield* add(router, {
      name: "forgot-password",
      rule: "password-reset",
      works: text("forgot_password.duration"),
      words: {
        title: text("forgot_password.title"),
        about: text("forgot_password.about"),
        next: text("forgot_password.next")
      },
      send: forgot
    })
  })
)

export const layer = Layer.merge(unlock, forgotPassword)
