import { Config, Context, Effect, Layer, Option } from "effect"
import type { Caller } from "../accounts/Caller.ts"
import { EmailVerification } from "../accounts/sign-in/EmailVerification.ts"
import * as GatewaySettings from "./GatewaySettings.ts"
import { EmailNotVerified } from "./WalletErrors.ts"

/** Reads `VERIFIED_EMAIL_TO_BUY`, which is true by default when a real gateway is configured. */
const required = Effect.gen(function* () {
  const setting = yield* Config.option(Config.Boolean("VERIFIED_EMAIL_TO_BUY"))
  const real = Object.values(yield* GatewaySettings.load)
  return Option.getOrElse(setting, () => real.some((gateway: Option.Option<unknown>) => Option.isSome(gateway)))
})

/** Admits only accounts with a verified email, if the operator requires it to reach every buyer by mail. */
export class VerifiedBuyers extends Context.Service<
  VerifiedBuyers,
  {
    /** Costs a query only when the caller's credential does not show that the email is verified. */
    readonly admit: (caller: Caller["Service"]) => Effect.Effect<void, EmailNotVerified>
  }
>()("app/wallet/VerifiedBuyers") {
  static readonly layerNoDeps = Layer.effect(
    VerifiedBuyers,
    Effect.gen(function* () {
      const isRequired = yield* required
      const verification = yield* EmailVerification

      const admit = Effect.fnUntraced(function* ({ email_verified, user_id }: Caller["Service"]) {
        if (!isRequired || (email_verified ?? (yield* verification.isVerified(user_id)))) return
        return yield* new EmailNotVerified({ details: {} })
      })

      return VerifiedBuyers.of({ admit })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(EmailVerification.layer))
}
