import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { UserId } from "../accounts/User.ts"
import { MailChoicesRepo } from "./MailChoicesRepo.ts"

const isCode = Schema.is(Schema.String.check(Schema.isUUID()))

/** The choice of a reader whether news come by mail. The code in the links of a mail names the account. */
export class MailChoices extends Context.Service<
  MailChoices,
  {
    readonly isOn: (user_id: UserId) => Effect.Effect<boolean>
    /** Turns news on or off for a signed-in person. */
    readonly choose: (user_id: UserId, isOn: boolean) => Effect.Effect<void>
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
      const choose = Effect.fn("MailChoices.choose")(function* (user_id: UserId, isOn: boolean) {
        const code = yield* repo.codeOf(user_id)
        yield* isOn ? repo.turnOn(code) : repo.turnOff(code, yield* DateTime.now)
      })

      return MailChoices.of({
        isOn: repo.isOn,
        choose,
        turnOff: Effect.fn("MailChoices.turnOff")((code) =>
          isCode(code) ? Effect.flatMap(DateTime.now, (now) => repo.turnOff(code, now)) : Effect.succeed(false)
        ),
        turnOn: Effect.fn("MailChoices.turnOn")((code) => (isCode(code) ? repo.turnOn(code) : Effect.succeed(false)))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(MailChoicesRepo.layer))
}
