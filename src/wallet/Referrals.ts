import { Config, Context, Effect, Layer, Option } from "effect"
import { Referrers } from "../accounts/Referrers.ts"
import type { UserId } from "../accounts/User.ts"
import { integer } from "../platform/IntegerSetting.ts"
import type { Currency } from "../platform/Money.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"
import * as Sandbox from "./Sandbox.ts"
import { Wallets } from "./Wallets.ts"
import { newTransactionId } from "./WalletTransaction.ts"

/** A payment from outside that was credited to the account that made it. */
interface ReferredPayment {
  readonly user_id: UserId
  readonly currency: Currency
  readonly amount: bigint
  readonly payment_method: PaymentMethod
  /** The gateway's id of it. */
  readonly charge_id: string
}

const sharePercent = integer("REFERRAL_SHARE_PERCENT", 0, 100).pipe(Config.withDefault(10))

/** Whoever referred an account gets a share of what it pays in (decisions section 6). */
export class Referrals extends Context.Service<
  Referrals,
  {
    /**
     * Credits the referrer, rounded down, in the transaction that credits the payment. The ledger takes the share of a
     * charge once.
     */
    readonly reward: (payment: ReferredPayment) => Effect.Effect<void>
  }
>()("app/wallet/Referrals") {
  static readonly layerNoDeps = Layer.effect(
    Referrals,
    Effect.gen(function* () {
      const referrers = yield* Referrers
      const share = BigInt(yield* sharePercent)
      const wallets = yield* Wallets

      const reward = Effect.fn("Referrals.reward")(function* (payment: ReferredPayment) {
        const { charge_id, currency, payment_method, user_id } = payment
        const amount = (payment.amount * share) / 100n
        if (amount <= 0n) return
        const referrer = yield* referrers.reward(user_id, currency === "USD" ? amount : 0n)
        if (Option.isNone(referrer)) return
        yield* wallets.credit({
          id: yield* newTransactionId,
          user_id: referrer.value,
          currency,
          amount,
          payment_method: "wallet",
          external_id: null,
          reference: `referral:${payment_method}:${charge_id}`,
          description: "Referral share",
          is_sandbox: Sandbox.isCharge(charge_id)
        })
      })

      return Referrals.of({ reward })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(Referrers.layer))
}
