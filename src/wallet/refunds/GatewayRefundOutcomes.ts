import { Context, DateTime, Effect, Layer, Option } from "effect"
import { money, say } from "../../brand/LocalText.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { descriptions } from "../EntryDescription.ts"
import type { RefundOutcome } from "../gateways/PaymentGateway.ts"
import { Referrals } from "../referrals/Referrals.ts"
import { Wallets } from "../Wallets.ts"
import { newTransactionId } from "../WalletTransaction.ts"
import type { GatewayRefund, GatewayRefundStatus } from "./GatewayRefund.ts"
import { GatewayRefundsRepo } from "./GatewayRefundsRepo.ts"

/** A report counts only when its rank is higher, so that reports may arrive in any order. */
const rank: Record<GatewayRefundStatus, number> = {
  booked: 0,
  sent: 0,
  unknown: 0,
  pending: 1,
  succeeded: 2,
  failed: 3
}

/** The time until a gateway is asked about an accepted refund. */
const lookAfter = { hours: 1 }

const make = Effect.gen(function* () {
  const notifications = yield* Notifications
  const referrals = yield* Referrals
  const repo = yield* GatewayRefundsRepo
  const wallets = yield* Wallets

  const giveBack = Effect.fnUntraced(function* ({ amount, currency, id, user_id }: GatewayRefund) {
    const return_id = yield* newTransactionId
    yield* wallets.credit({
      id: return_id,
      user_id,
      currency,
      amount,
      payment_method: "wallet",
      external_id: null,
      reference: `gateway_refund:${id}`,
      description: descriptions.payout_returned,
      is_sandbox: false,
      cause: "payout_returned"
    })
    const message = say("notice.payout_returned", { price: money(currency, amount) })
    yield* notifications.add([{ user_id, kind: "payment_returned", order_id: null, message }])
    return return_id
  })

  return Effect.fn("GatewayRefundOutcomes.settle")(function* (id: string, outcome: RefundOutcome) {
    const known = Option.getOrUndefined(yield* repo.find(id))
    if (known === undefined) return undefined
    // Every writer locks the wallets before the records of money.
    yield* wallets.lock(known.user_id)
    const refund = yield* Effect.flatMap(repo.lock(id), Effect.fromOption).pipe(Effect.orDie)
    if (rank[outcome.status] <= rank[refund.status]) return false
    const return_id = outcome.status === "failed" ? yield* giveBack(refund) : null
    const now = yield* DateTime.now
    const look_at = outcome.status === "pending" ? DateTime.add(now, lookAfter) : null
    yield* repo.settle(refund.id, outcome, return_id, now, look_at)
    if (outcome.status === "succeeded") yield* referrals.takeBack(refund)
    return true
  })
})

/** The outcomes of refunds at payment gateways. */
export class GatewayRefundOutcomes extends Context.Service<
  GatewayRefundOutcomes,
  {
    /**
     * Records the outcome of a refund once, in the caller's transaction: a failure returns the money to the wallet. Undefined:
     * the refund is not on record. False: the outcome says nothing new.
     */
    readonly settle: (id: string, outcome: RefundOutcome) => Effect.Effect<boolean | undefined>
  }
>()("app/wallet/GatewayRefundOutcomes") {
  static readonly layerNoDeps = Layer.effect(
    GatewayRefundOutcomes,
    Effect.map(make, (settle) => GatewayRefundOutcomes.of({ settle }))
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([GatewayRefundsRepo.layer, Notifications.layer, Referrals.layer])
  )
}
