import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { LanguageCode } from "../../brand/LanguageCode.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { ClientAddress, limitedPart } from "../../platform/requests/ClientAddress.ts"
import { isPublicText } from "../../platform/outbound/PublicAddress.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import type { EmailTaken } from "../AccountErrors.ts"
import { type BrowserCookies, BrowserSessions } from "../sessions/BrowserSessions.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import { NewAccounts } from "./NewAccounts.ts"
import { Passwords } from "../passwords/Passwords.ts"
import * as ThrowAwayMail from "../ThrowAwayMail.ts"
import { Sessions } from "../sessions/Sessions.ts"
import type { SessionTokensView } from "../SessionTokensView.ts"
import type { User } from "../User.ts"
import { UsersRepo } from "../UsersRepo.ts"

interface Registration {
  readonly email: string
  readonly password: string
  readonly name?: string
  readonly referral_code?: string
  /** The language of the account's mails and notifications. */
  readonly language: LanguageCode
}

type Registering<A, Extra extends ReadonlyArray<unknown> = []> = (
  input: Registration,
  ...extra: Extra
) => Effect.Effect<A, EmailTaken | RequestInvalid | RateLimited>

/** Creates accounts of people. */
export class SignUp extends Context.Service<
  SignUp,
  {
    readonly register: Registering<SessionTokensView>
    /** Registers in a browser; returns its cookies. `known` is the value of the browser's earlier cookie. */
    readonly inBrowser: Registering<BrowserCookies, [known?: string | undefined]>
  }
>()("app/accounts/SignUp") {
  static readonly layerNoDeps = Layer.effect(
    SignUp,
    Effect.gen(function* () {
      const accounts = yield* NewAccounts
      const atomically = yield* Atomically
      const client = yield* ClientAddress
      const browserSessions = yield* BrowserSessions
      const outbox = yield* EmailOutbox
      const passwords = yield* Passwords
      const sessions = yield* Sessions
      const users = yield* UsersRepo
      const refuseThrowAway = yield* ThrowAwayMail.makeRefuse

      /** The client address; null outside of a request, and for a private address, which many people may share. */
      const address = Effect.flatMap(
        Effect.serviceOption(HttpServerRequest.HttpServerRequest),
        Option.match({
          onNone: () => Effect.succeed(null),
          onSome: (request) =>
            Effect.map(Effect.provideService(client.current, HttpServerRequest.HttpServerRequest, request), (current) =>
              isPublicText(current) ? limitedPart(current) : null
            )
        })
      )

      const referrer = Effect.fnUntraced(function* (code: string | undefined) {
        if (code === undefined) return null
        const found = yield* users.findByReferralCode(code.trim().toUpperCase())
        if (Option.isSome(found)) return found.value.id
        return yield* RequestInvalid.at(["body", "referral_code"], "No account has this referral code")
      })

      const registering = <A, Extra extends ReadonlyArray<unknown>>(
        begin: (user: User, ...extra: Extra) => Effect.Effect<A>
      ) => {
        const create = Effect.fnUntraced(function* (input: Registration, password_hash: string, extra: Extra) {
          const { email, language, name = null, referral_code } = input
          const user = yield* accounts.create({
            email,
            name,
            language,
            password_hash,
            referred_by: yield* referrer(referral_code),
            signup_address: yield* address
          })
          yield* outbox.add({ kind: "email_verification", to_address: email })
          return yield* begin(user, ...extra)
        }, atomically)

        return Effect.fn("SignUp.register")(function* (input: Registration, ...extra: Extra) {
          yield* refuseThrowAway(input.email)
          return yield* create(input, yield* passwords.hash(input.password), extra)
        })
      }

      return SignUp.of({ register: registering(sessions.start), inBrowser: registering(browserSessions.start) })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      BrowserSessions.layer,
      ClientAddress.layer,
      EmailOutbox.layer,
      NewAccounts.layer,
      Passwords.layer,
      Sessions.layer,
      UsersRepo.layer
    ])
  )
}
