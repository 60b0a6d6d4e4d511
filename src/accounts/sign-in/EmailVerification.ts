import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { EmailTokenInvalid, EmailVerified } from "../AccountErrors.ts"
import { CredentialsRepo } from "../CredentialsRepo.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import { EmailTokensRepo } from "../EmailTokensRepo.ts"
import type { UserId } from "../User.ts"

/** Verifies that the owner of an account receives mail at its email address. */
export class EmailVerification extends Context.Service<
  EmailVerification,
  {
    readonly verify: (token: string) => Effect.Effect<void, EmailTokenInvalid>
    readonly state: (user_id: UserId) => Effect.Effect<{ readonly email: string | null; readonly is_verified: boolean }>
    readonly resend: (user_id: UserId) => Effect.Effect<void, EmailVerified>
  }
>()("app/accounts/EmailVerification") {
  static readonly layerNoDeps = Layer.effect(
    EmailVerification,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const outbox = yield* EmailOutbox
      const tokens = yield* EmailTokensRepo
      const credentials = yield* CredentialsRepo

      const owner = Effect.fnUntraced(function* (token: string) {
        const found = yield* tokens.owner(Secrets.digest(token), "email_verification", yield* DateTime.now)
        return Option.isSome(found) ? found.value : yield* new EmailTokenInvalid()
      })

      const verify = Effect.fn("EmailVerification.verify")(function* (token: string) {
        const { user_id } = yield* owner(token)
        const account = yield* credentials.lock(user_id)
        // Another request may have used the token or changed the email while this one waited for the lock.
        const { email } = yield* owner(token)
        if (Option.isNone(account) || account.value.email !== email) return yield* new EmailTokenInvalid()
        yield* credentials.verifyEmail(user_id, yield* DateTime.now)
        yield* tokens.removeAll(user_id, "email_verification")
      }, atomically)

      const resend = Effect.fn("EmailVerification.resend")(function* (user_id: UserId) {
        const account = yield* credentials.find(user_id)
        if (Option.isNone(account) || account.value.email === null) return
        if (account.value.email_verified) return yield* new EmailVerified({ details: {} })
        yield* outbox.add({ kind: "email_verification", to_address: account.value.email })
      })

      const state = Effect.fn("EmailVerification.state")(function* (user_id: UserId) {
        const account = Option.getOrUndefined(yield* credentials.find(user_id))
        return { email: account?.email ?? null, is_verified: account?.email_verified === true }
      })

      return EmailVerification.of({ verify, state, resend })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([EmailOutbox.layer, EmailTokensRepo.layer, CredentialsRepo.layer])
  )
}
