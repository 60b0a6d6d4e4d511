import { Context, DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { EmailOutboxRepo } from "./EmailOutboxRepo.ts"

/** A token mail is written when it is sent, so that no secret waits in the database. */
export type OutgoingMail =
  | { readonly kind: "email_verification" | "password_reset"; readonly to_address: string }
  | { readonly kind: "notice"; readonly to_address: string; readonly subject: string; readonly text: string }

/**
 * Mail to be sent once the caller's transaction is committed; `EmailDelivery` sends it. A request
 * neither waits for the mail server nor fails with it.
 */
export class EmailOutbox extends Context.Service<
  EmailOutbox,
  { readonly add: (mail: OutgoingMail) => Effect.Effect<void> }
>()("app/accounts/EmailOutbox") {
  static readonly layerNoDeps = Layer.effect(
    EmailOutbox,
    Effect.gen(function* () {
      const repo = yield* EmailOutboxRepo

      const add = Effect.fn("EmailOutbox.add")(function* (mail: OutgoingMail) {
        const now = yield* DateTime.now
        yield* repo.insert({
          ...mail,
          id: SecureRandom.uuidV7Unsafe(),
          attempt: 0,
          next_attempt_at: now,
          created_at: now
        })
      })

      return EmailOutbox.of({ add })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(EmailOutboxRepo.layer))
}
