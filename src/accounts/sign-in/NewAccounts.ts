import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { LanguageCode } from "../../brand/LanguageCode.ts"
import type { EmailTaken } from "../AccountErrors.ts"
import * as ReferralCode from "../ReferralCode.ts"
import { User, type UserId } from "../User.ts"
import { UsersRepo } from "../UsersRepo.ts"

interface NewAccount {
  /** Null for an anonymous account. */
  readonly email: string | null
  readonly name: string | null
  readonly password_hash: string | null
  readonly language: LanguageCode
  readonly referred_by: UserId | null
  /** The client address of the sign-up; null for an agent's account. */
  readonly signup_address: string | null
}

const codesTried = 5

/** Creates accounts in the caller's transaction. */
export class NewAccounts extends Context.Service<
  NewAccounts,
  { readonly create: (account: NewAccount) => Effect.Effect<User, EmailTaken> }
>()("app/accounts/NewAccounts") {
  static readonly layerNoDeps = Layer.effect(
    NewAccounts,
    Effect.gen(function* () {
      const users = yield* UsersRepo

      const create = Effect.fn("NewAccounts.create")(function* ({
        email,
        name,
        language,
        password_hash,
        referred_by,
        signup_address
      }: NewAccount) {
        for (let tried = 0; tried < codesTried; tried++) {
          const row = yield* Effect.orDie(
            User.insert.makeEffect({
              email,
              name,
              language,
              email_verified: false,
              is_anonymous: email === null,
              referral_code: yield* ReferralCode.make
            })
          )
          const sessions_valid_from = yield* DateTime.now
          const user = yield* users.insert({ ...row, password_hash, referred_by, signup_address, sessions_valid_from })
          if (Option.isSome(user)) return user.value
        }
        return yield* Effect.die(new Error(`No free referral code in ${codesTried} draws`))
      })

      return NewAccounts.of({ create })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(UsersRepo.layer))
}
