import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { MailChoicesRepo } from "./MailChoicesRepo.ts"

const isCode = Schema.is(Schema.String.check(Schema.isUUID()))

/** The choice of a reader whether news come by mail. The code in the links of a mail names the account. */
export class MailChoices extends Context.Service<
  MailChoices,
  {
    /** Turns news off, also those in the queue; false for an unknown code. */
    readonly turnOff: (code: string) => Effect.Effect<boolean>
    /** Turns news on again; false for an unknown code. */
    readonly turnOn: (code: string) => Effect.Effect<boolean>
  }
>()("app/announcements/MailChoices") {
  static readonly layerNoDeps = Layer.effect(
    MailChoices,
    Effect.gen(function* () {
      const repo = yield* MailChoicesRepo
      return MailChoices.of({
        turnOff: Effect.fn("MailChoices.turnOff")((code) =>
          isCode(code) ? Effect.flatMap(DateTime.now, (now) => repo.turnOff(code, now)) : Effect.succeed(false)
        ),
        turnOn: Effect.fn("MailChoices.turnOn")((code) => (isCode(code) ? repo.turnOn(code) : Effect.succeed(false)))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(MailChoicesRepo.layer))
}
