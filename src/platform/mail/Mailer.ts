import { Config, Context, Effect, Layer, Option, Ref } from "effect"
import type { Mail, MailNotSent } from "./Mail.ts"
import * as MailFolder from "./MailFolder.ts"
import * as Smtp from "./Smtp.ts"
import { StateDirectory } from "../settings/StateDirectory.ts"

/** The mail that `Mailer.layerMemory` was asked to send, oldest first. */
export class SentMail extends Context.Service<SentMail, Ref.Ref<ReadonlyArray<Mail>>>()("app/platform/SentMail") {}

/** Hands a mail over for delivery. */
export class Mailer extends Context.Service<
  Mailer,
  { readonly send: (mail: Mail) => Effect.Effect<void, MailNotSent> }
>()("app/platform/Mailer") {
  /** Sends mail by SMTP when `SMTP_URL` is set, else writes it to files for a developer to read. */
  static readonly layerNoDeps = Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const url = yield* Config.option(Config.schema(Smtp.SmtpUrl, "SMTP_URL"))
      const deliver = Option.isSome(url) ? yield* Smtp.make(url.value) : yield* MailFolder.make
      return Mailer.of({ send: Effect.fn("Mailer.send")(deliver) })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(StateDirectory.layer))

  /** Keeps mail in memory, for tests to read. */
  static readonly layerMemory = Layer.effect(
    Mailer,
    Effect.map(SentMail, (sent) => Mailer.of({ send: (mail) => Ref.update(sent, (all) => [...all, mail]) }))
  ).pipe(Layer.provideMerge(Layer.effect(SentMail, Ref.make<ReadonlyArray<Mail>>([]))))
}
