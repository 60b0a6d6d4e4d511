import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Brand } from "../../brand/Brand.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { EmailTokenInvalid, type UserNotFound, type WrongPassword } from "../AccountErrors.ts"
import { type Credentials, CredentialsRepo } from "../CredentialsRepo.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import * as EmailTexts from "../mail/EmailTexts.ts"
import { EmailTokensRepo } from "../EmailTokensRepo.ts"
import { PasswordConfirmation } from "./PasswordConfirmation.ts"
import { Passwords } from "./Passwords.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import type { UserId } from "../User.ts"

interface Change {
  readonly user_id: UserId
  /** The session of the request; it stays signed in. */
  readonly session_id: string
  readonly current_password: string | undefined
  readonly new_password: string
}

/** Changes and resets passwords. Each new password ends the sessions and OAuth connections that the old one began. */
export class PasswordChanges extends Context.Service<
  PasswordChanges,
  {
    readonly change: (input: Change) => Effect.Effect<void, WrongPassword | RequestInvalid | UserNotFound | RateLimited>
    /** Queues a mail with a token. Treats an email without an account the same, so that the answer reveals no account. */
    readonly forgot: (email: string) => Effect.Effect<void>
    readonly reset: (token: string, newPassword: string) => Effect.Effect<void, EmailTokenInvalid | RateLimited>
  }
>()("app/accounts/PasswordChanges") {
  static readonly layerNoDeps = Layer.effect(
    PasswordChanges,
    Effect.gen(function* () {
      const addresses = yield* Addresses
      const atomically = yield* Atomically
      const brand = yield* Brand
      const confirmation = yield* PasswordConfirmation
      const outbox = yield* EmailOutbox
      const passwords = yield* Passwords
      const sessions = yield* SessionsRepo
      const tokens = yield* EmailTokensRepo
      const credentials = yield* CredentialsRepo

      const replaced = Effect.fnUntraced(function* (account: Credentials) {
        yield* tokens.removeAll(account.id, "password_reset")
        if (account.email !== null)
          yield* outbox.add({
            kind: "notice",
            to_address: account.email,
            language: account.language,
            ...EmailTexts.passwordChanged(brand, account.language, addresses)
          })
      })

      const applyChange = Effect.fnUntraced(function* (account: Credentials, hash: string, session_id: string) {
        yield* confirmation.lock(account)
        yield* credentials.setPassword(account.id, hash, yield* DateTime.now)
        yield* replaced(account)
        yield* sessions.removeOthers(account.id, session_id)
      }, atomically)

      const change = Effect.fn("PasswordChanges.change")(function* (input: Change) {
        const { current_password, new_password, session_id, user_id } = input
        const account = yield* confirmation.compare({ user_id, password: current_password, field: "current_password" })
        yield* applyChange(account, yield* passwords.hash(new_password), session_id)
      })

      const owner = Effect.fnUntraced(function* (token: string) {
        const found = yield* tokens.owner(Secrets.digest(token), "password_reset", yield* DateTime.now)
        return Option.isSome(found) ? found.value : yield* new EmailTokenInvalid()
      })

      const applyReset = Effect.fnUntraced(function* (token: string, hash: string) {
        const { user_id } = yield* owner(token)
        const account = yield* credentials.lock(user_id)
        // Another request may have used the token while this one waited for the lock.
        const { email } = yield* owner(token)
        if (Option.isNone(account) || account.value.email !== email) return yield* new EmailTokenInvalid()
        yield* credentials.resetPassword(user_id, hash, yield* DateTime.now)
        yield* replaced(account.value)
        yield* tokens.removeAll(user_id, "email_verification")
        yield* sessions.removeAll(user_id)
      }, atomically)

      const reset = Effect.fn("PasswordChanges.reset")(function* (token: string, newPassword: string) {
        yield* owner(token)
        yield* applyReset(token, yield* passwords.hash(newPassword))
      })

      return PasswordChanges.of({
        change,
        forgot: (email) => outbox.add({ kind: "password_reset", to_address: email }),
        reset
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      Addresses.layer,
      EmailOutbox.layer,
      EmailTokensRepo.layer,
      PasswordConfirmation.layer,
      Passwords.layer,
      SessionsRepo.layer,
      CredentialsRepo.layer
    ])
  )
}
