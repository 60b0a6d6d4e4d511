import { Context, Effect, Layer, Option } from "effect"
import { Notifications } from "../notifications/Notifications.ts"
import * as Money from "../platform/Money.ts"
import { LedgerRepo } from "./LedgerRepo.ts"
import type { Outcome } from "./PaymentCallback.ts"
import { PaymentFulfilment } from "./PaymentFulfilment.ts"
import type { PaymentEvent } from "./PaymentGateway.ts"
import type { PaymentIntent, PaymentIntentId } from "./PaymentIntent.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import { Referrals } from "./Referrals.ts"
import { Wallets } from "./Wallets.ts"
import { newTransactionId } from "./WalletTransaction.ts"

type Paid = Extract<PaymentEvent, { _tag: "Paid" }>

const isAsAsked = (intent: PaymentIntent, event: Paid) =>
  intent.status === "pending" && intent.currency === event.currency && intent.amount === event.amount

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
      referrals.reward({ user_id, currency, amount, charge_id, payment_method })
  }
})

/** Ends a pending intent that nobody has paid as asked, and what waits for it. */
const makeClose = Effect.gen(function* () {
  const fulfilment = yield* PaymentFulfilment
  const ledger = yield* LedgerRepo
  const repo = yield* PaymentsRepo

  return Effect.fnUntraced(function* (intent: PaymentIntent, status: "failed" | "expired") {
    if (intent.status !== "pending") return false
    yield* repo.settle(intent.id, status)
    yield* ledger.fail(intent.transaction_id)
    if (intent.purpose === "order") yield* fulfilment.ended(intent)
    return true
  })
})

/** Books what came in: as the payment that was asked for, or as a deposit of its own. */
const makePaid = Effect.fnUntraced(function* (close: Effect.Success<typeof makeClose>) {
  const arrival = yield* makeArrival
  const fulfilment = yield* PaymentFulfilment
  const ledger = yield* LedgerRepo
  const repo = yield* PaymentsRepo
  const wallets = yield* Wallets

  const complete = Effect.fnUntraced(function* (intent: PaymentIntent, event: Paid) {
    yield* repo.settle(intent.id, "paid")
    yield* ledger.complete(intent.transaction_id, event.charge_id)
    if (intent.purpose === "order") yield* fulfilment.paid(intent)
    else yield* arrival.tell(intent, event, "were added to your wallet")
  })

  const credit = Effect.fnUntraced(function* (
    intent: PaymentIntent,
    event: Paid,
    entry: PaymentIntent["transaction_id"]
  ) {
    yield* close(intent, "failed")
    const { payment_method, user_id } = intent
    yield* wallets.credit({
      id: entry,
      user_id,
      currency: event.currency,
      amount: event.amount,
      payment_method,
      external_id: event.charge_id,
      reference: `${payment_method}:${event.charge_id}`,
      description: "Deposit: a payment that came late, again or with another amount"
    })
    yield* arrival.tell(intent, event, "came late, again or not as asked, and were added to your wallet")
  })

  return Effect.fnUntraced(function* (intent: PaymentIntent, event: Paid) {
    const { _tag, ...charge } = event
    const { payment_method, transaction_id, user_id } = intent
    const asAsked = isAsAsked(intent, event)
    const entry = asAsked ? transaction_id : yield* newTransactionId
    if (!(yield* repo.insertCharge({ ...charge, payment_method, user_id, transaction_id: entry }))) return "duplicate"
    yield* asAsked ? complete(intent, event) : credit(intent, event, entry)
    yield* arrival.share(intent, event)
    return asAsked ? "paid" : "credited"
  })
})

/**
 * The one transition of a payment intent, whoever reports the event and however often. Money that comes late,
 * twice or with another amount is credited as a deposit of its own (decisions section 5).
 */
export class PaymentSettlement extends Context.Service<
  PaymentSettlement,
  {
    /** Belongs into a transaction, which holds the intent's row from here on. */
    readonly settle: (method: PaymentMethod, event: PaymentEvent) => Effect.Effect<Outcome>
    /** The same, for a payment that is waited for no longer; false when it has ended before. */
    readonly end: (id: PaymentIntentId, status: "failed" | "expired") => Effect.Effect<boolean>
  }
>()("app/wallet/PaymentSettlement") {
  static readonly layerNoDeps = Layer.effect(
    PaymentSettlement,
    Effect.gen(function* () {
      const repo = yield* PaymentsRepo
      const close = yield* makeClose
      const paid = yield* makePaid(close)

      const settle = Effect.fn("PaymentSettlement.settle")(function* (method: PaymentMethod, event: PaymentEvent) {
        if (event._tag === "Irrelevant" || event._tag === "Checkout" || (event._tag === "Paid" && event.amount <= 0n))
          return "ignored"
        const intent = Option.getOrUndefined(yield* repo.lock(event.payment_intent_id))
        if (intent === undefined || intent.payment_method !== method) {
          yield* Effect.logError("A gateway reports an unknown payment", event)
          return "unmatched"
        }
        if (event._tag === "Paid") return yield* paid(intent, event)
        return (yield* close(intent, "failed")) ? "declined" : "ignored"
      })

      const end = Effect.fn("PaymentSettlement.end")(function* (id: PaymentIntentId, status: "failed" | "expired") {
        const intent = yield* repo.lock(id)
        return Option.isSome(intent) && (yield* close(intent.value, status))
      })

      return PaymentSettlement.of({ settle, end })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([LedgerRepo.layer, PaymentsRepo.layer, Referrals.layer]),
    Layer.provide(Wallets.layer)
  )
}
