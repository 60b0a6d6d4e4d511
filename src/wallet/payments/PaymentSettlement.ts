import { Context, Effect, Layer, Option } from "effect"
import { money, say } from "../../brand/LocalText.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { AutoTopUpOutcomes } from "../auto-top-up/AutoTopUpOutcomes.ts"
import { SavedCards } from "../auto-top-up/SavedCards.ts"
import { descriptions } from "../EntryDescription.ts"
import { LedgerRepo } from "../LedgerRepo.ts"
import { mostImportant, type Outcome } from "./PaymentCallback.ts"
import { PaymentFulfilment } from "./PaymentFulfilment.ts"
import { noCharge, type PaymentEvent } from "../gateways/PaymentGateway.ts"
import type { PaymentIntent, PaymentIntentId } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import { PaymentReversals } from "./PaymentReversals.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import { Referrals } from "../referrals/Referrals.ts"
import * as Sandbox from "../Sandbox.ts"
import { Wallets } from "../Wallets.ts"
import { newTransactionId } from "../WalletTransaction.ts"

/** The text about a charge that came in. */
type Arrived = "notice.deposited" | "notice.overpaid" | "notice.unexpected" | "notice.unexpected_cancelled"

type Paid = Extract<PaymentEvent, { _tag: "Paid" }>
type Declined = Extract<PaymentEvent, { _tag: "Declined" }>

/** The consequences of a charge: a notice to the account, and a share for its referrer. */
const makeArrival = Effect.gen(function* () {
  const notifications = yield* Notifications
  const referrals = yield* Referrals

  return {
    notify: Effect.fnUntraced(function* ({ id, user_id }: PaymentIntent, { amount, currency }: Paid, what: Arrived) {
      const message = say(what, { price: money(currency, amount) })
      // The service removes a payment that was not paid as requested.
      const payment_intent_id = what === "notice.deposited" ? id : null
      yield* notifications.add([{ user_id, kind: "deposit_credited", order_id: null, payment_intent_id, message }])
    }),
    share: ({ payment_method, user_id }: PaymentIntent, { amount, charge_id, currency }: Paid) =>
      referrals.hold({ user_id, currency, amount, charge_id, payment_method })
  }
})

interface Ending {
  /** Ends a pending intent and its ledger entry, without its orders. */
  readonly giveUp: (intent: PaymentIntent, status: "failed" | "expired") => Effect.Effect<void>
  /** Ends a pending intent, its ledger entry and the orders that wait for it; false when it has ended before. */
  readonly close: (intent: PaymentIntent, status: "failed" | "expired") => Effect.Effect<boolean>
  readonly decline: (intent: PaymentIntent, event: Declined) => Effect.Effect<Outcome>
}

const makeEnding = Effect.gen(function* () {
  const autoTopUps = yield* AutoTopUpOutcomes
  const fulfilment = yield* PaymentFulfilment
  const ledger = yield* LedgerRepo
  const repo = yield* PaymentsRepo

  const giveUp = Effect.fnUntraced(function* (intent: PaymentIntent, status: "failed" | "expired") {
    yield* repo.settle(intent.id, status)
    yield* ledger.fail(intent.transaction_id)
  })

  const close = Effect.fnUntraced(function* (intent: PaymentIntent, status: "failed" | "expired") {
    if (intent.status !== "pending") return false
    yield* giveUp(intent, status)
    if (intent.purpose === "order") yield* fulfilment.ended(intent)
    return true
  })

  /**
   * Ends a payment that its gateway ended. The charge of a saved card has no page of the gateway, so its intent may not know
   * the gateway's id yet.
   */
  const decline = Effect.fnUntraced(function* (intent: PaymentIntent, event: Declined) {
    const { decline = "declined", external_reference } = event
    const isFirst = intent.card_id !== null && intent.external_reference === null
    if (!isFirst && external_reference !== intent.external_reference) return "ignored"
    if (!(yield* close(intent, "failed"))) return "ignored"
    if (isFirst && external_reference !== noCharge) yield* repo.refer(intent.id, external_reference)
    if (intent.card_id !== null) yield* autoTopUps.declined(intent, decline)
    return "declined"
  })

  return { giveUp, close, decline } satisfies Ending
})

/** Books a charge as a separate deposit. */
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
      description: descriptions.unexpected_payment
    })
})

/** Books a charge as the requested payment or as a separate deposit. */
const makePaid = Effect.fnUntraced(function* ({ close, giveUp }: Ending) {
  const arrival = yield* makeArrival
  const autoTopUps = yield* AutoTopUpOutcomes
  const credit = yield* makeCredit
  const fulfilment = yield* PaymentFulfilment
  const ledger = yield* LedgerRepo
  const repo = yield* PaymentsRepo
  const wallets = yield* Wallets

  const asRequested = Effect.fnUntraced(function* (intent: PaymentIntent, event: Paid) {
    yield* repo.settle(intent.id, "paid")
    yield* ledger.complete(intent.transaction_id, event.charge_id, Sandbox.isCharge(event.charge_id))
    if (intent.card_id !== null) yield* autoTopUps.made(intent, event.amount)
    else if (intent.purpose === "order") yield* fulfilment.paid(intent)
    else yield* arrival.notify(intent, event, "notice.deposited")
  })

  /** Credits a charge that is larger than the orders' price, and pays the orders from the wallet. */
  const tooMuch = Effect.fnUntraced(function* (
    intent: PaymentIntent,
    event: Paid,
    entry: typeof intent.transaction_id
  ) {
    yield* giveUp(intent, "failed")
    yield* credit(intent, event, entry)
    yield* fulfilment.paid(intent)
    yield* arrival.notify(intent, event, "notice.overpaid")
  })

  const otherwise = Effect.fnUntraced(function* (
    intent: PaymentIntent,
    event: Paid,
    entry: typeof intent.transaction_id
  ) {
    const hasEnded = yield* close(intent, "failed")
    yield* credit(intent, event, entry)
    const isCancelled = hasEnded && intent.purpose === "order"
    yield* arrival.notify(intent, event, isCancelled ? "notice.unexpected_cancelled" : "notice.unexpected")
  })

  return Effect.fnUntraced(function* (intent: PaymentIntent, event: Paid) {
    const { _tag, payer = null, ...charge } = event
    const { payment_method, transaction_id, user_id } = intent
    // Locks the wallets before it books anything, in the same order as all other transactions.
    const { purchases_stopped } = yield* wallets.lock(user_id)
    const mayBuy = !purchases_stopped || intent.purpose === "deposit"
    const isDue = intent.status === "pending" && intent.currency === event.currency && mayBuy
    const isAsRequested = isDue && event.amount === intent.amount
    const entry = isAsRequested ? transaction_id : yield* newTransactionId
    if (!(yield* repo.insertCharge({ ...charge, payer, payment_method, user_id, transaction_id: entry })))
      return "duplicate"
    if (isAsRequested) yield* asRequested(intent, event)
    else if (isDue && event.amount > intent.amount && intent.purpose === "order") yield* tooMuch(intent, event, entry)
    else yield* otherwise(intent, event, entry)
    yield* arrival.share(intent, event)
    return isAsRequested ? "paid" : "credited"
  })
})

/**
 * Settles a payment intent once, however often its events are reported. Money that comes late, twice or with another
 * amount is credited as a separate deposit (docs/contract.md, "Payments from outside").
 */
export class PaymentSettlement extends Context.Service<
  PaymentSettlement,
  {
    /** Applies the events of a gateway. The caller's transaction locks the rows of the intents. */
    readonly settle: (method: PaymentMethod, events: ReadonlyArray<PaymentEvent>) => Effect.Effect<Outcome>
    /** Ends a pending intent in the caller's transaction; false when it has ended before. */
    readonly end: (id: PaymentIntentId, status: "failed" | "expired") => Effect.Effect<boolean>
  }
>()("app/wallet/PaymentSettlement") {
  static readonly layerNoDeps = Layer.effect(
    PaymentSettlement,
    Effect.gen(function* () {
      const cards = yield* SavedCards
      const repo = yield* PaymentsRepo
      const ending = yield* makeEnding
      const paid = yield* makePaid(ending)
      const reversals = yield* PaymentReversals

      const settleOne = Effect.fnUntraced(function* (method: PaymentMethod, event: PaymentEvent) {
        if (event._tag === "Checkout" || (event._tag === "Paid" && event.amount <= 0n)) return "ignored"
        if (event._tag === "Reversed") return yield* reversals.apply(method, event)
        if (event._tag === "CardSaved") return (yield* cards.store(event)) ? "saved" : "duplicate"
        const intent = Option.getOrUndefined(yield* repo.lock(event.payment_intent_id))
        if (intent === undefined || intent.payment_method !== method) {
          yield* Effect.logError("Cannot settle a payment that is not on record; compare it with the gateway", event)
          return "unmatched"
        }
        if (event._tag === "Declined") return yield* ending.decline(intent, event)
        yield* repo.refer(intent.id, event.charge_id)
        return yield* paid(intent, event)
      })

      const settle = Effect.fn("PaymentSettlement.settle")(
        (method: PaymentMethod, events: ReadonlyArray<PaymentEvent>) =>
          Effect.map(
            Effect.forEach(events, (event) => settleOne(method, event)),
            mostImportant
          )
      )

      const end = Effect.fn("PaymentSettlement.end")(function* (id: PaymentIntentId, status: "failed" | "expired") {
        const intent = Option.getOrUndefined(yield* repo.lock(id))
        // The gateway decides on the charge of a saved card. Nobody else may take it for unpaid.
        return intent !== undefined && intent.card_id === null && (yield* ending.close(intent, status))
      })

      return PaymentSettlement.of({ settle, end })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      AutoTopUpOutcomes.layer,
      LedgerRepo.layer,
      PaymentReversals.layer,
      PaymentsRepo.layer,
      Referrals.layer,
      SavedCards.layer
    ]),
    Layer.provide(Wallets.layer)
  )
}
