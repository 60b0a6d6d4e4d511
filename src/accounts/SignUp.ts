import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Atomically } from "../platform/Atomically.ts"
import type { RateLimited } from "../platform/RateLimit.ts"
import { RequestInvalid } from "../platform/RequestInvalid.ts"
import type { EmailTaken } from "./AccountErrors.ts"
import { EmailOutbox } from "./EmailOutbox.ts"
import { Passwords } from "./Passwords.ts"
import * as ReferralCode from "./ReferralCode.ts"
import { Sessions } from "./Sessions.ts"
import type { TokenAnswer } from "./TokenAnswer.ts"
import { User, type UserId } from "./User.ts"
import { UsersRepo } from "./UsersRepo.ts"

interface Registration {
  readonly email: string
  readonly password: string
  readonly name?: string
  readonly referral_code?: string
}

const codesTried = 5

/** Creates accounts of people. */
export class SignUp extends Context.Service<
  SignUp,
  { readonly register: (input: Registration) => Effect.Effect<TokenAnswer, EmailTaken | RequestInvalid | RateLimited> }
>()("app/accounts/SignUp") {
  static readonly layerNoDeps = Layer.effect(
    SignUp,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const outbox = yield* EmailOutbox
      const passwords = yield* Passwords
      const sessions = yield* Sessions
      const users = yield* UsersRepo

      const referrer = Effect.fnUntraced(function* (code: string | undefined) {
        if (code === undefined) return null
        const found = yield* users.findByReferralCode(code.trim().toUpperCase())
        if (Option.isSome(found)) return found.value.id
        return yield* RequestInvalid.at(["body", "referral_code"], "No account has this referral code")
      })

      const insert = Effect.fnUntraced(function* (
        input: Registration,
        password_hash: string,
        referred_by: UserId | null
      ) {
        for (let tried = 0; tried < codesTried; tried++) {
          const row = yield* Effect.orDie(
            User.insert.makeEffect({
              email: input.email,
              name: input.name ?? null,
              email_verified: false,
              is_anonymous: false,
              referral_code: yield* ReferralCode.make
            })
          )
          const sessions_valid_from = yield* DateTime.now
          const user = yield* users.insert({ ...row, password_hash, referred_by, sessions_valid_from })
          if (Option.isSome(user)) return user.value
        }
        return yield* Effect.die(new Error(`No free referral code in ${codesTried} draws`))
      })

      const create = Effect.fnUntraced(function* (input: Registration, password_hash: string) {
        const user = yield* insert(input, password_hash, yield* referrer(input.referral_code))
        yield* outbox.add({ kind: "email_verification", to_address: input.email })
        return yield* sessions.start(user)
      }, atomically)

      const register = Effect.fn("SignUp.register")(function* (input: Registration) {
        return yield* create(input, yield* passwords.hash(input.password))
      })

      return SignUp.of({ register })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([EmailOutbox.layer, Passwords.layer, Sessions.layer, UsersRepo.layer])
  )
}
