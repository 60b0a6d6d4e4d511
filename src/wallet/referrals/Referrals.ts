import { Context, DateTime, Effect, Layer, Option } from "effect"
import { type Referrer, Referrers } from "../../accounts/Referrers.ts"
import type { UserId } from "../../accounts/User.ts"
import type { Currency } from "../../platform/Money.ts"
import { descriptions } from "../EntryDescription.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import type { ReferralShare, ShareRefusal } from "./ReferralShare.ts"
import { ReferralSharesRepo } from "./ReferralSharesRepo.ts"
import * as ReferralTerms from "./ReferralTerms.ts"
import * as Sandbox from "../Sandbox.ts"
import { Wallets } from "../Wallets.ts"
import { newTransactionId } from "../WalletTransaction.ts"

/** A payment from outside that was credited to a referred account. */
interface ReferredPayment {
  readonly user_id: UserId
  readonly currency: Currency
  readonly amount: bigint
  readonly payment_method: PaymentMethod
  /** The gateway's id of the charge. */
  readonly charge_id: string
}

type Charge = Pick<ReferralShare, "payment_method" | "charge_id">

/** The further time in which both accounts must verify their email. */
const patience = { days: 90 }

const referenceOf = ({ charge_id, payment_method, round }: ReferralShare) =>
  `referral:${payment_method}:${charge_id}${round === 1 ? "" : `:${round}`}`

const dollarsOf = ({ currency }: ReferralShare, amount: bigint) => (currency === "USD" ? amount : 0n)

const makeHold = Effect.gen(function* () {
  const { hold_days: days, percent } = yield* ReferralTerms.load
  const referrers = yield* Referrers
  const repo = yield* ReferralSharesRepo

  return Effect.fn("Referrals.hold")(function* ({ amount, user_id, ...payment }: ReferredPayment) {
    const share = (amount * BigInt(percent)) / 100n
    if (share <= 0n) return
    const referrer = Option.getOrUndefined(yield* referrers.of(user_id))
    if (referrer === undefined || referrer.is_deleted) return
    if (referrer.share_address)
      yield* Effect.logInfo("Refused a referral share, because both accounts signed up from the same address", {
        referrer_id: referrer.id,
        referred_id: user_id,
        charge_id: payment.charge_id
      })
    yield* repo.insert({
      ...payment,
      round: 1,
      referrer_id: referrer.id,
      referred_id: user_id,
      amount: share,
      due_at: DateTime.add(yield* DateTime.now, { days }),
      refusal: referrer.share_address ? "same_address" : null
    })
  })
})

const makePay = Effect.gen(function* () {
  const { hold_days: days } = yield* ReferralTerms.load
  const referrers = yield* Referrers
  const repo = yield* ReferralSharesRepo
  const wallets = yield* Wallets

  const refusalOf = Effect.fnUntraced(function* (share: ReferralShare, referrer: Referrer | undefined) {
    if (referrer === undefined || referrer.is_deleted) return "referrer_left" satisfies ShareRefusal
    if (yield* repo.sharePayer(share.referrer_id, share.referred_id)) return "same_payer" satisfies ShareRefusal
    const last = DateTime.add(DateTime.add(share.created_at, { days }), patience)
    const isLate = DateTime.isGreaterThan(yield* DateTime.now, last)
    return isLate && !referrer.are_verified ? ("unverified" satisfies ShareRefusal) : null
  })

  const credit = Effect.fnUntraced(function* (share: ReferralShare) {
    const id = yield* newTransactionId
    yield* repo.change(share, { status: "credited", transaction_id: id })
    yield* referrers.earned(share.referrer_id, dollarsOf(share, share.amount))
    yield* wallets.credit({
      id,
      user_id: share.referrer_id,
      currency: share.currency,
      amount: share.amount,
      payment_method: "wallet",
      external_id: null,
      reference: referenceOf(share),
      description: descriptions.referral_share,
      is_sandbox: Sandbox.isCharge(share.charge_id)
    })
  })

  return Effect.fn("Referrals.pay")(function* (claimed: ReferralShare) {
    const share = Option.getOrUndefined(yield* repo.lock(claimed))
    if (share?.status !== "held") return
    const referrer = Option.getOrUndefined(yield* referrers.of(share.referred_id))
    const refusal = yield* refusalOf(share, referrer)
    if (refusal !== null) yield* repo.change(share, { status: "refused", reason: refusal })
    else if (referrer?.are_verified === true) yield* credit(share)
  })
})

const makeTakeBack = Effect.gen(function* () {
  const referrers = yield* Referrers
  const repo = yield* ReferralSharesRepo
  const wallets = yield* Wallets

  const debit = Effect.fnUntraced(function* (share: ReferralShare) {
    if (share.transaction_id === null) return { returned: 0n, return_id: null }
    const id = yield* newTransactionId
    yield* referrers.earned(share.referrer_id, -dollarsOf(share, share.amount))
    const returned = yield* wallets.withdraw({
      id,
      user_id: share.referrer_id,
      currency: share.currency,
      at_most: share.amount,
      reference: referenceOf(share),
      description: descriptions.referral_share_taken_back,
      is_sandbox: Sandbox.isCharge(share.charge_id)
    })
    return { returned, return_id: returned > 0n ? id : null }
  })

  return Effect.fn("Referrals.takeBack")(function* (charge: Charge) {
    const share = Option.getOrUndefined(yield* repo.lock(charge))
    if (share === undefined || (share.status !== "held" && share.status !== "credited")) return
    yield* repo.change(share, { status: "taken_back", reason: "reversed", ...(yield* debit(share)) })
  })
})

const makeGiveBack = Effect.gen(function* () {
  const repo = yield* ReferralSharesRepo

  return Effect.fn("Referrals.giveBack")(function* (charge: Charge) {
    const share = Option.getOrUndefined(yield* repo.lock(charge))
    if (share?.status !== "taken_back" || (yield* repo.isTakenBack(charge))) return
    const { created_at: _, returned, status: __, transaction_id, ...same } = share
    // The part that the referrer had spent before was not debited.
    const amount = transaction_id === null ? share.amount : returned
    if (amount > 0n) yield* repo.insert({ ...same, round: share.round + 1, amount, refusal: null })
  })
})

/**
 * Pays an account a share of the payments of accounts that it referred. The share is held first. It is credited when both
 * accounts have verified their email, and refused when the two look like one person
 * (docs/contract.md, "Promo codes and referrals"). All methods lock the share, then the referrer's account, then its wallets.
 */
export class Referrals extends Context.Service<
  Referrals,
  {
    /** Holds the referrer's share, rounded down, in the transaction that credits the payment. */
    readonly hold: (payment: ReferredPayment) => Effect.Effect<void>
    /** Credits or refuses a share that is due, in the caller's transaction. The share may stay held. */
    readonly pay: (share: ReferralShare) => Effect.Effect<void>
    /** Takes back the share of a reversed charge, and debits as much of it as the referrer's wallet has. */
    readonly takeBack: (charge: Charge) => Effect.Effect<void>
    /** Holds a share again that was taken back, when nothing takes back its charge any more. */
    readonly giveBack: (charge: Charge) => Effect.Effect<void>
  }
>()("app/wallet/Referrals") {
  static readonly layerNoDeps = Layer.effect(
    Referrals,
    Effect.gen(function* () {
      return Referrals.of({
        hold: yield* makeHold,
        pay: yield* makePay,
        takeBack: yield* makeTakeBack,
        giveBack: yield* makeGiveBack
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Referrers.layer, ReferralSharesRepo.layer]))
}
