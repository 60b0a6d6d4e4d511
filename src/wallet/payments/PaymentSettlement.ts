import { Context, Effect, Layer, Option } from "effect"
import { Notifications } from "../../notifications/Notifications.ts"
import * as Money from "../../platform/Money.ts"
import { LedgerRepo } from "../LedgerRepo.ts"
import { mostTelling, type Outcome } from "./PaymentCallback.ts"
import { PaymentFulfilment } from "./PaymentFulfilment.ts"
import type { PaymentEvent } from "../gateways/PaymentGateway.ts"
import type { PaymentIntent, PaymentIntentId } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import { PaymentReversals } from "./PaymentReversals.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import { Referrals } from "../referrals/Referrals.ts"
import * as Sandbox from "../Sandbox.ts"
import { Wallets } from "../Wallets.ts"
import { newTransactionId } from "../WalletTransaction.ts"

type Paid = Extract<PaymentEvent, { _tag: "Paid" }>

/** What follows from money that came in: its payer is told, whoever referred them has a share. */
const makeArrival = Effect.gen(function* () {
  const notifications = yield* Notifications
  const referrals = yield* Referrals

  return {
    tell: Effect.fnUntraced(function* ({ user_id }: PaymentIntent, { amount, currency }: Paid, what: string) {
      const message = `${Money.toDecimal(currency, amount)} ${currency} ${what}`
      yield* notifications.add([{ user_id, kind: "deposit_credited", order_id: null, message }])
    }),
    share: ({ payment_method, user_id }: PaymentIntent, { amount, charge_id, currency }: Paid) =>
      referrals.hold({ user_id, currency, amount, charge_id, payment_method })
  }
})

/** Ends a pending intent that nobody has paid as asked. */
const makeClose = Effect.gen(function* () {
  const fulfilment = yield* PaymentFulfilment
  const ledger = yield* LedgerRepo
  const repo = yield* PaymentsRepo

  const giveUp = Effect.fnUntraced(function* (intent: PaymentIntent, status: "failed" | "expired") {
    yield* repo.settle(intent.id, status)
    yield* ledger.fail(intent.transaction_id)
  })

  /** The same, with what waits for it. */
  const close = Effect.fnUntraced(function* (intent: PaymentIntent, status: "failed" | "expired") {
    if (intent.status !== "pending") return false
    yield* giveUp(intent, status)
    if (intent.purpose === "order") yield* fulfilment.ended(intent)
    return true
  })

  return { giveUp, close }
})

/** Books what came in as a deposit of its own. */
const makeCredit = Effect.gen(function* () {
  const wallets = yield* Wallets

  return (
    { payment_method, user_id }: PaymentIntent,
    { amount, charge_id, currency }: Paid,
    id: PaymentIntent["transaction_id"]
  ) =>
    wallets.credit({
      id,
      user_id,
      currency,
      amount,
      payment_method,
      external_id: charge_id,
      reference: `${payment_method}:${charge_id}`,
      is_sandbox: Sandbox.isCharge(charge_id),
      description: "Deposit: a payment that came late, again or with another amount"
    })
})

/** Books what came in: as the payment that was asked for, or as a deposit of its own. */
const makePaid = Effect.fnUntraced(function* ({ close, giveUp }: Effect.Success<typeof makeClose>) {
  const arrival = yield* makeArrival
  const credit = yield* makeCredit
  const fulfilment = yield* PaymentFulfilment
  const ledger = yield* LedgerRepo
  const repo = yield* PaymentsRepo
  const wallets = yield* Wallets

  const asAsked = Effect.fnUntraced(function* (intent: PaymentIntent, event: Paid) {
    yield* repo.settle(intent.id, "paid")
    yield* ledger.complete(intent.transaction_id, event.charge_id, Sandbox.isCharge(event.charge_id))
    if (intent.purpose === "order") yield* fulfilment.paid(intent)
    else yield* arrival.tell(intent, event, "were added to your wallet")
  })

  /** The orders cost no more than what is in the wallet then. */
  const tooMuch = Effect.fnUntraced(function* (
    intent: PaymentIntent,
    event: Paid,
    entry: typeof intent.transaction_id
  ) {
    yield* giveUp(intent, "failed")
    yield* credit(intent, event, entry)
    yield* fulfilment.paid(intent)
    yield* arrival.tell(
      intent,
      event,
      "came in, more than was asked for: your order is paid, the rest is in your wallet"
    )
  })

  const otherwise = Effect.fnUntraced(function* (
    intent: PaymentIntent,
    event: Paid,
    entry: typeof intent.transaction_id
  ) {
    const hasEnded = yield* close(intent, "failed")
    yield* credit(intent, event, entry)
    const isCancelled = hasEnded && intent.purpose === "order"
    const outcome = isCancelled ? "; your order was cancelled" : ""
    yield* arrival.tell(intent, event, `came late, again or not as asked, and were added to your wallet${outcome}`)
  })

  return Effect.fnUntraced(function* (intent: PaymentIntent, event: Paid) {
    const { _tag, payer = null, ...charge } = event
    const { payment_method, transaction_id, user_id } = intent
    // Holds the wallets before anything is booked, in the order in which everybody does.
    const { purchases_stopped } = yield* wallets.lock(user_id)
    const mayBuy = !purchases_stopped || intent.purpose === "deposit"
    const isDue = intent.status === "pending" && intent.currency === event.currency && mayBuy
    const isAsAsked = isDue && event.amount === intent.amount
    const entry = isAsAsked ? transaction_id : yield* newTransactionId
    if (!(yield* repo.insertCharge({ ...charge, payer, payment_method, user_id, transaction_id: entry })))
      return "duplicate"
    if (isAsAsked) yield* asAsked(intent, event)
    else if (isDue && event.amount > intent.amount && intent.purpose === "order") yield* tooMuch(intent, event, entry)
    else yield* otherwise(intent, event, entry)
    yield* arrival.share(intent, event)
    return isAsAsked ? "paid" : "credited"
  })
})

/**
 * The one transition of a payment intent, whoever reports the events and however often. Money that comes late,
 * twice or with another amount is credited as a deposit of its own (decisions section 5).
 */
export class PaymentSettlement extends Context.Service<
  PaymentSettlement,
  {
    /** Belongs into a transaction, which holds the intents' rows from here on. */
    readonly settle: (method: PaymentMethod, events: ReadonlyArray<PaymentEvent>) => Effect.Effect<Outcome>
    /** The same, for a payment that is waited for no longer; false when it has ended before. */
    readonly end: (id: PaymentIntentId, status: "failed" | "expired") => Effect.Effect<boolean>
  }
>()("app/wallet/PaymentSettlement") {
  static readonly layerNoDeps = Layer.effect(
    PaymentSettlement,
    Effect.gen(function* () {
      const repo = yield* PaymentsRepo
      const ending = yield* makeClose
      const paid = yield* makePaid(ending)
      const reversals = yield* PaymentReversals

      const settleOne = Effect.fnUntraced(function* (method: PaymentMethod, event: PaymentEvent) {
        if (event._tag === "Checkout" || (event._tag === "Paid" && event.amount <= 0n)) return "ignored"
        if (event._tag === "Reversed") return yield* reversals.apply(method, event)
        const intent = Option.getOrUndefined(yield* repo.lock(event.payment_intent_id))
        if (intent === undefined || intent.payment_method !== method) {
          yield* Effect.logError("A gateway reports an unknown payment", event)
          return "unmatched"
        }
        if (event._tag === "Paid") return yield* paid(intent, event)
        const isOurs = event.external_reference === intent.external_reference
        return isOurs && (yield* ending.close(intent, "failed")) ? "declined" : "ignored"
      })

      const settle = Effect.fn("PaymentSettlement.settle")(
        (method: PaymentMethod, events: ReadonlyArray<PaymentEvent>) =>
          Effect.map(
            Effect.forEach(events, (event) => settleOne(method, event)),
            mostTelling
          )
      )

      const end = Effect.fn("PaymentSettlement.end")(function* (id: PaymentIntentId, status: "failed" | "expired") {
        const intent = yield* repo.lock(id)
        return Option.isSome(intent) && (yield* ending.close(intent.value, status))
      })

      return PaymentSettlement.of({ settle, end })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([LedgerRepo.layer, PaymentReversals.layer, PaymentsRepo.layer, Referrals.layer]),
    Layer.provide(Wallets.layer)
  )
}
