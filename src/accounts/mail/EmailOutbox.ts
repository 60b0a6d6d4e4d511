import { Context, DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { type AccountMail, EmailOutboxRepo } from "./EmailOutboxRepo.ts"
import type { LanguageCode } from "../../brand/LanguageCode.ts"
import type { EmailTokenPurpose } from "../EmailTokensRepo.ts"
import type { UserId } from "../User.ts"

/** A mail to send. `EmailDelivery` writes a token mail when it sends it, so that the database holds no secret. */
export type OutgoingMail =
  | { readonly kind: EmailTokenPurpose; readonly to_address: string }
  | {
      readonly kind: "notice"
      readonly to_address: string
      readonly language: LanguageCode
      readonly subject: string
      readonly text: string
      /** The account, when the address is not the one that it has now; null for staff, whose mails are not logged. */
      readonly user_id?: UserId | null
    }

type AccountNotice = Omit<AccountMail, "id">

/**
 * Queues mails in the caller's transaction; `EmailDelivery` sends them after the commit. A request does not wait for
 * the mail server, and does not fail when the mail server fails.
 */
export class EmailOutbox extends Context.Service<
  EmailOutbox,
  {
    /** Queues a mail. A token mail gets the language that the account has now. */
    readonly add: (mail: OutgoingMail) => Effect.Effect<void>
    /** Queues notices; an account without a verified address gets none. */
    readonly notify: (notices: ReadonlyArray<AccountNotice>) => Effect.Effect<void>
  }
>()("app/accounts/EmailOutbox") {
  static readonly layerNoDeps = Layer.effect(
    EmailOutbox,
    Effect.gen(function* () {
      const repo = yield* EmailOutboxRepo

      const add = Effect.fn("EmailOutbox.add")(function* (mail: OutgoingMail) {
        const now = yield* DateTime.now
        const queued = { id: SecureRandom.uuidV7Unsafe(), attempt: 0, next_attempt_at: now, created_at: now }
        if (mail.kind !== "notice")
          return yield* repo.insert({ ...mail, ...queued, language: yield* repo.languageOf(mail.to_address) })
        const { user_id, ...notice } = mail
        yield* repo.insert({ ...notice, ...queued, announcement_id: null, unsubscribe_url: null }, user_id)
      })

      const notify = Effect.fn("EmailOutbox.notify")(function* (notices: ReadonlyArray<AccountNotice>) {
        if (notices.length === 0) return
        const mails = notices.map((notice) => ({ ...notice, id: SecureRandom.uuidV7Unsafe() }))
        yield* repo.insertNotices(mails, yield* DateTime.now)
      })

      return EmailOutbox.of({ add, notify })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(EmailOutboxRepo.layer))
}
