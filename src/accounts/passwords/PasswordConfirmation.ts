import { Context, Effect, Layer, Option } from "effect"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { UserNotFound, WrongPassword } from "../AccountErrors.ts"
import { type Credentials, CredentialsRepo } from "../CredentialsRepo.ts"
import { Passwords } from "./Passwords.ts"
import type { UserId } from "../User.ts"

/** A password that an account's owner gave to prove themselves, and the request's field that holds it. */
interface GivenProof {
  readonly user_id: UserId
  readonly password: string | undefined
  readonly field: string
}

/** Asks the owner of an account for its password before something that cannot be undone. */
export class PasswordConfirmation extends Context.Service<
  PasswordConfirmation,
  {
    /** Compares, outside of any transaction; an account without a password needs none. */
    readonly compare: (
      proof: GivenProof
    ) => Effect.Effect<Credentials, WrongPassword | RequestInvalid | UserNotFound | RateLimited>
    /** Locks the account, in the caller's transaction; the password may have changed since it was compared. */
    readonly lock: (compared: Credentials) => Effect.Effect<void, WrongPassword>
  }
>()("app/accounts/PasswordConfirmation") {
  static readonly layerNoDeps = Layer.effect(
    PasswordConfirmation,
    Effect.gen(function* () {
      const passwords = yield* Passwords
      const credentials = yield* CredentialsRepo

      const compare = Effect.fn("PasswordConfirmation.compare")(function* ({ field, password, user_id }: GivenProof) {
        const account = yield* credentials.find(user_id)
        if (Option.isNone(account)) return yield* new UserNotFound()
        const { password_hash } = account.value
        if (password_hash === null) return account.value
        if (password === undefined)
          return yield* new RequestInvalid({
            detail: [{ loc: ["body", field], msg: "The account has a password; give it", type: "missing" }]
          })
        return (yield* passwords.verify(password, password_hash)) ? account.value : yield* new WrongPassword()
      })

      const lock = Effect.fn("PasswordConfirmation.lock")(function* (compared: Credentials) {
        const locked = yield* credentials.lock(compared.id)
        if (Option.isNone(locked) || locked.value.password_hash !== compared.password_hash)
          return yield* new WrongPassword()
      })

      return PasswordConfirmation.of({ compare, lock })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Passwords.layer, CredentialsRepo.layer]))
}
