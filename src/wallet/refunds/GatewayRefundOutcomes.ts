import { Context, DateTime, Effect, Layer, Option } from "effect"
import { money, say } from "../../brand/LocalText.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { descriptions } from "../EntryDescription.ts"
import type { RefundOutcome } from "../gateways/PaymentGateway.ts"
import { Referrals } from "../referrals/Referrals.ts"
import { ReversalDebts } from "../ReversalDebts.ts"
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

const nothing = { given_back: 0n, return_id: null } as const

const make = Effect.gen(function* () {
  const notifications = yield* Notifications
  const referrals = yield* Referrals
  const debts = yield* ReversalDebts
  const repo = yield* GatewayRefundsRepo
  const wallets = yield* Wallets

  const tell = ({ amount, currency, user_id }: GatewayRefund, given_back: bigint) => {
    const [price, returned] = [money(currency, amount), money(currency, given_back)]
    const message =
      given_back === amount
        ? say("notice.payout_returned", { price })
        : say("notice.payout_claimed", { price, returned })
    return notifications.add([{ user_id, kind: "payment_returned", order_id: null, message }])
  }

  /** Credits the money that no other refund or dispute of the charge claims. */
  const giveBack = Effect.fnUntraced(function* (refund: GatewayRefund) {
    const { currency, id, user_id } = refund
    const given_back = yield* repo.unclaimed(refund)
    yield* tell(refund, given_back)
    if (given_back === 0n) return { given_back, return_id: null }
    const return_id = yield* newTransactionId
    yield* wallets.credit({
      id: return_id,
      user_id,
      currency,
      amount: given_back,
      payment_method: "wallet",
      external_id: null,
      reference: `gateway_refund:${id}`,
      description: descriptions.payout_returned,
      is_sandbox: false,
      cause: "payout_returned"
    })
    return { given_back, return_id }
  })

  return Effect.fn("GatewayRefundOutcomes.settle")(function* (id: string, outcome: RefundOutcome) {
    const known = Option.getOrUndefined(yield* repo.find(id))
    if (known === undefined) return undefined
    // Every writer locks the wallets before the records of money.
    yield* wallets.lock(known.user_id)
    const refund = yield* Effect.flatMap(repo.lock(id), Effect.fromOption).pipe(Effect.orDie)
    if (rank[outcome.status] <= rank[refund.status]) return false
    const returned = outcome.status === "failed" ? yield* giveBack(refund) : nothing
    const now = yield* DateTime.now
    const look_at = outcome.status === "pending" ? DateTime.add(now, lookAfter) : null
    yield* repo.settle(refund.id, outcome, returned, now, look_at)
    if (returned.given_back > 0n) yield* debts.collect({ ...refund, amount: returned.given_back })
    if (outcome.status === "succeeded") yield* referrals.takeBack(refund)
    if (outcome.status === "failed") yield* referrals.giveBack(refund)
    return true
  })
})

/** The outcomes of refunds at payment gateways. */
export class GatewayRefundOutcomes extends Context.Service<
  GatewayRefundOutcomes,
  {
    /**
     * Records the outcome of a refund once, in the caller's transaction. A failure returns to the wallet what no other refund or
     * dispute of the charge claims. The referrer's share follows the outcome. Undefined: the refund is not on record. False: the
     * outcome says nothing new.
     */
    readonly settle: (id: string, outcome: RefundOutcome) => Effect.Effect<boolean | undefined>
  }
>()("app/wallet/GatewayRefundOutcomes") {
  static readonly layerNoDeps = Layer.effect(
    GatewayRefundOutcomes,
    Effect.map(make, (settle) => GatewayRefundOutcomes.of({ settle }))
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([GatewayRefundsRepo.layer, Notifications.layer, Referrals.layer, ReversalDebts.layer])
  )
}
