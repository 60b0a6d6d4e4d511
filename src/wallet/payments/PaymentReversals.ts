import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import * as Money from "../../platform/Money.ts"
import { AutoTopUpOutcomes } from "../auto-top-up/AutoTopUpOutcomes.ts"
import { descriptions } from "../EntryDescription.ts"
import type { Outcome } from "./PaymentCallback.ts"
import type { Reversed } from "../gateways/PaymentGateway.ts"
import * as DisputePolicy from "./DisputePolicy.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import type { OpenReversal, PaymentReversal } from "./PaymentReversal.ts"
import { PaymentReversalsRepo } from "./PaymentReversalsRepo.ts"
import { OpenPayouts } from "../payouts/OpenPayouts.ts"
import { GatewayRefundOutcomes } from "../refunds/GatewayRefundOutcomes.ts"
import { Referrals } from "../referrals/Referrals.ts"
import * as ReversalNotices from "./ReversalNotices.ts"
import * as Sandbox from "../Sandbox.ts"
import { Wallets } from "../Wallets.ts"
import { newTransactionId } from "../WalletTransaction.ts"

/** A report counts only when its rank is higher than the known one, so that reports may arrive in any order. */
const rank = { announced: 0, taken: 1, returned: 2 } as const

const taken = { refund: descriptions.refunded, dispute: descriptions.disputed } as const

const least = (one: bigint, other: bigint) => (other < one ? other : one)
const most = (one: bigint, other: bigint) => (other > one ? other : one)

type Charged = Pick<PaymentReversal, "user_id" | "currency" | "amount">

const referenceOf = (payment_method: PaymentMethod, { reversal_id }: Pick<Reversed, "reversal_id">) =>
  `reversal:${payment_method}:${reversal_id}`

const makeBooking = Effect.gen(function* () {
  const payouts = yield* OpenPayouts
  const policy = yield* DisputePolicy.load
  const referrals = yield* Referrals
  const repo = yield* PaymentReversalsRepo
  const wallets = yield* Wallets

  /**
   * Debits the part of the charge that no other reversal claims. Money that the wallet does not have stays on record.
   */
  const take = Effect.fnUntraced(function* (payment_method: PaymentMethod, event: Reversed, charge: Charged) {
    const { _tag, dispute: _report, own: _, ...reversal } = event
    const { currency, user_id } = charge
    const { claimed } = yield* repo.others(payment_method, event)
    const amount = least(event.amount ?? charge.amount, charge.amount)
    const at_most = least(amount, most(0n, charge.amount - claimed))
    const id = yield* newTransactionId
    const is_sandbox = Sandbox.isCharge(event.charge_id)
    if (!is_sandbox) yield* payouts.takeBack(user_id, currency, at_most)
    const debited = yield* wallets.withdraw({
      id,
      user_id,
      currency,
      at_most,
      reference: referenceOf(payment_method, event),
      description: taken[event.kind],
      is_sandbox
    })
    const debit_id = debited > 0n ? id : null
    yield* repo.write({ ...reversal, payment_method, user_id, currency, amount, debited, debit_id })
    yield* referrals.takeBack({ payment_method, charge_id: event.charge_id })
    const suspends = policy === "suspend" && event.kind === "dispute"
    const notice = ReversalNotices.taken({ user_id, currency, kind: event.kind, amount, debited }, suspends)
    return { short: at_most - debited, notice }
  })

  /** Credits the debited money that no other reversal of the charge claims. */
  const giveBack = Effect.fnUntraced(function* (reversal: PaymentReversal, charge: Charged) {
    const { currency, user_id } = reversal
    const { claimed, held } = yield* repo.others(reversal.payment_method, reversal)
    const given_back = most(0n, held - least(claimed, charge.amount))
    const id = given_back === 0n ? null : yield* newTransactionId
    yield* repo.giveBack(reversal, given_back, id)
    if (id !== null)
      yield* wallets.credit({
        id,
        user_id,
        currency,
        amount: given_back,
        payment_method: "wallet",
        external_id: null,
        reference: referenceOf(reversal.payment_method, reversal),
        description: descriptions.reversal_ended,
        is_sandbox: Sandbox.isCharge(reversal.charge_id)
      })
    return { short: 0n, notice: ReversalNotices.returned({ ...reversal, given_back }) }
  })

  /** Stores a report that moves no money. Without an earlier report, a reversal that has ended needs no notice. */
  const note = Effect.fnUntraced(function* (payment_method: PaymentMethod, event: Reversed, charge: Charged) {
    const { _tag, dispute: _report, own: _, ...reversal } = event
    const { currency, user_id } = charge
    yield* repo.write({ ...reversal, payment_method, user_id, currency, amount: 0n, debited: 0n, debit_id: null })
    const isNews = event.status === "announced"
    return { short: 0n, notice: isNews ? ReversalNotices.announced({ user_id, currency, kind: event.kind }) : null }
  })

  return { take, giveBack, note }
})

const makeApply = Effect.gen(function* () {
  const autoTopUps = yield* AutoTopUpOutcomes
  const booking = yield* makeBooking
  const refundOutcomes = yield* GatewayRefundOutcomes
  const notifications = yield* Notifications
  const repo = yield* PaymentReversalsRepo
  const wallets = yield* Wallets

  return Effect.fn("PaymentReversals.apply")(function* (
    method: PaymentMethod,
    event: Reversed
  ): Effect.fn.Return<Outcome> {
    // The wallet was debited before this service asked for the refund.
    const isNews = event.own && (yield* refundOutcomes.settle(event.own.id, event.own.outcome))
    if (isNews !== undefined) return isNews ? "reversed" : "duplicate"
    const charge = Option.getOrUndefined(yield* repo.charge(method, event.charge_id))
    if (charge === undefined) {
      yield* Effect.logError("Cannot reverse a payment that is not on record; compare it with the gateway", event)
      return "unmatched"
    }
    // The lock orders the reports and the purchases of one account.
    yield* wallets.lock(charge.user_id)
    const known = Option.getOrUndefined(yield* repo.find(method, event.reversal_id))
    if (known !== undefined && rank[event.status] <= rank[known.status]) {
      // A late report of an earlier status says nothing new.
      if (event.status === known.status) yield* repo.noteReport(method, event, false)
      return "duplicate"
    }
    const isReturn = known !== undefined && event.status === "returned"
    const { notice, short } = yield* event.status === "taken"
      ? booking.take(method, event, charge)
      : isReturn
        ? booking.giveBack(known, charge)
        : booking.note(method, event, charge)
    yield* repo.noteReport(method, event, true)
    const { purchases_stopped } = yield* wallets.lock(charge.user_id)
    if (notice !== null) yield* notifications.add([notice(purchases_stopped)])
    if (event.status !== "returned") yield* autoTopUps.reversed(charge.user_id, event.charge_id)
    yield* Effect.logWarning(`A gateway reversed a payment (${event.kind} ${event.status})`, {
      user_id: charge.user_id,
      charge_id: event.charge_id,
      reversal_id: event.reversal_id,
      short: `${Money.toDecimal(charge.currency, short)} ${charge.currency}`
    })
    return "reversed"
  })
})

/** Refunds and disputes of charges (docs/contract.md, "Payments from outside"). */
export class PaymentReversals extends Context.Service<
  PaymentReversals,
  {
    /** Books the report of a gateway once, in the caller's transaction. */
    readonly apply: (method: PaymentMethod, event: Reversed) => Effect.Effect<Outcome>
    /** Reversals that stop the purchases of their accounts. */
    readonly open: (limit: number) => Effect.Effect<ReadonlyArray<OpenReversal>>
    /** Lets an account buy again; returns the number of reversals that stopped it. */
    readonly lift: (user_id: UserId) => Effect.Effect<number>
  }
>()("app/wallet/PaymentReversals") {
  static readonly layerNoDeps = Layer.effect(
    PaymentReversals,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const repo = yield* PaymentReversalsRepo
      const wallets = yield* Wallets

      const lift = Effect.fn("PaymentReversals.lift")(function* (user_id: UserId) {
        // A report also locks the wallets before the reversals.
        yield* wallets.lock(user_id)
        return yield* repo.lift(user_id, yield* DateTime.now)
      }, atomically)

      return PaymentReversals.of({ apply: yield* makeApply, open: repo.open, lift })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      AutoTopUpOutcomes.layer,
      GatewayRefundOutcomes.layer,
      Notifications.layer,
      OpenPayouts.layer,
      PaymentReversalsRepo.layer,
      Referrals.layer
    ])
  )
}
