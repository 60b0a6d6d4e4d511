import { Context, Effect, Layer, Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import type { Currency } from "../../platform/Money.ts"
import { ReversalDebts } from "../ReversalDebts.ts"
import * as PayoutNotices from "./PayoutNotices.ts"
import { PayoutsRepo } from "./PayoutsRepo.ts"
import * as ReturnPayout from "./ReturnPayout.ts"

const by = { id: "service", name: "service" }

/** The withdrawals that staff have not approved. */
export class OpenPayouts extends Context.Service<
  OpenPayouts,
  {
    /**
     * Declines the requested withdrawal of an account when its wallet has less than `amount`, so that a refund or a dispute of a
     * payment finds the money there. The money of an approved one may be on its way already: staff settle that. Runs in the
     * caller's transaction, with the wallets locked.
     */
    readonly takeBack: (owner: UserId, currency: Currency, amount: bigint) => Effect.Effect<void>
  }
>()("app/wallet/OpenPayouts") {
  static readonly layerNoDeps = Layer.effect(
    OpenPayouts,
    Effect.gen(function* () {
      const giveBack = yield* ReturnPayout.make
      const notifications = yield* Notifications
      const repo = yield* PayoutsRepo

      const takeBack = Effect.fn("OpenPayouts.takeBack")(function* (owner: UserId, currency: Currency, amount: bigint) {
        const payout = Option.getOrUndefined(yield* repo.lockMissing(owner, currency, amount))
        if (payout === undefined) return
        yield* notifications.add([PayoutNotices.takenBack(payout)])
        yield* giveBack(payout, { status: "declined", by, customer_text: null })
      })

      return OpenPayouts.of({ takeBack })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Notifications.layer, PayoutsRepo.layer, ReversalDebts.layer])
  )
}
