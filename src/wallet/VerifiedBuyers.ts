import { Config, Context, Effect, Layer, Option } from "effect"
import type { Caller } from "../accounts/Caller.ts"
import * as ThrowAwayMail from "../accounts/ThrowAwayMail.ts"
import { EmailVerification } from "../accounts/sign-in/EmailVerification.ts"
import * as GatewaySettings from "./GatewaySettings.ts"
import { EmailNotVerified } from "./WalletErrors.ts"

/**
 * Reads `VERIFIED_EMAIL_TO_BUY`, which is true by default when a real gateway is configured, and whether accounts with a
 * throw-away address need a verified email all the same.
 */
const required = Effect.gen(function* () {
  const setting = yield* Config.option(Config.Boolean("VERIFIED_EMAIL_TO_BUY"))
  const disposable = yield* ThrowAwayMail.setting
  const real = Object.values(yield* GatewaySettings.load)
  const isReal = real.some((gateway: Option.Option<unknown>) => Option.isSome(gateway))
  return {
    ofAll: Option.getOrElse(setting, () => isReal),
    ofThrowAway: Option.match(disposable, { onNone: () => isReal, onSome: (mode) => mode !== "allow" })
  }
})

/** Admits only accounts with a verified email, if the operator requires it to reach every buyer by mail. */
export class VerifiedBuyers extends Context.Service<
  VerifiedBuyers,
  {
    /** Costs a query only when an email must be verified and the caller's credential does not show that it is. */
    readonly admit: (caller: Caller["Service"]) => Effect.Effect<void, EmailNotVerified>
  }
>()("app/wallet/VerifiedBuyers") {
  static readonly layerNoDeps = Layer.effect(
    VerifiedBuyers,
    Effect.gen(function* () {
      const isRequired = yield* required
      const isThrowAway = yield* ThrowAwayMail.makeIsThrowAway
      const verification = yield* EmailVerification

      const admit = Effect.fnUntraced(function* ({ email_verified, user_id }: Caller["Service"]) {
        if (email_verified === true || !(isRequired.ofAll || isRequired.ofThrowAway)) return
        const { email, is_verified } = yield* verification.state(user_id)
        if (is_verified) return
        if (!isRequired.ofAll && !(email !== null && (yield* isThrowAway(email)))) return
        return yield* new EmailNotVerified({ details: {} })
      })

      return VerifiedBuyers.of({ admit })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(EmailVerification.layer))
}
