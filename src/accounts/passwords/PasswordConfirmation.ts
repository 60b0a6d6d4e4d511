import { Context, Effect, Layer, Option } from "effect"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { UserNotFound, WrongPassword } from "../AccountErrors.ts"
import { type Credentials, CredentialsRepo } from "../CredentialsRepo.ts"
import { Passwords } from "./Passwords.ts"
import type { UserId } from "../User.ts"

/** A password that the owner sent as proof, and the name of its field in the request. */
interface GivenProof {
  readonly user_id: UserId
  readonly password: string | undefined
  readonly field: string
}

/** Requires the owner's password before a sensitive change of the account. */
export class PasswordConfirmation extends Context.Service<
  PasswordConfirmation,
  {
    /** Compares the password, outside of any transaction. An account without a password needs none. */
    readonly compare: (
      proof: GivenProof
    ) => Effect.Effect<Credentials, WrongPassword | RequestInvalid | UserNotFound | RateLimited>
    /** Locks the account in the caller's transaction; fails when the password changed after the comparison. */
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
            detail: [{ loc: ["body", field], msg: "The account has a password; send it", type: "missing" }]
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
