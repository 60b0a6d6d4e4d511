import { DateTime, Effect } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { LedgerRepo } from "../LedgerRepo.ts"
import {
  PaymentMethodNotOffered,
  PaymentMethodUnavailable,
  TooManyOpenPayments,
  TooManyUnpaidOrders
} from "../PaymentErrors.ts"
import type { PaymentGateway } from "../gateways/PaymentGateway.ts"
import { PaymentGateways } from "../gateways/PaymentGateways.ts"
import { PausedMethodsRepo } from "../PausedMethodsRepo.ts"
import { PaymentIntent } from "../PaymentIntent.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import * as NewAccountLimits from "./NewAccountLimits.ts"
import { PaymentOutOfBounds } from "./PaymentOutOfBounds.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import type { SavedCardId } from "../SavedCard.ts"
import { Wallets } from "../Wallets.ts"
import { newTransactionId, WalletTransaction } from "../WalletTransaction.ts"

/** A payment from outside that is about to be requested; `description` is for the ledger. */
export type PaymentRequest = Pick<PaymentIntent, "user_id" | "purpose" | "payment_method" | "currency" | "amount"> & {
  readonly description: string
  /** The number of orders or deposits that it pays for. Each leaves rows behind when it is not paid. */
  readonly items: number
  /** The saved card that is charged; absent when the customer pays on the page of the gateway. */
  readonly card_id?: SavedCardId
}

const lifetime = { minutes: 60 }
/** The age at which a job looks up a payment at its gateway, if the gateway has not called. */
const firstLook = { minutes: 10 }
/** The same for the charge of a saved card: later than any answer of the gateway to the charge. */
const firstCardLook = { minutes: 2 }
/** Maximum number of open payments of one account. */
const mostOpen = 20
/** Maximum number of unpaid orders and deposits of one account within a day. */
const mostUnpaid = 500

const enforceMinimum = ({ minimum = 0n }: PaymentGateway, request: PaymentRequest) =>
  request.amount < minimum
    ? Effect.fail(
        PaymentOutOfBounds.of(request, { kind: "gateway_least", amount: minimum, currency: request.currency })
      )
    : Effect.void

/** Exact only while the account's wallets are locked. */
const makeWithinBounds = Effect.gen(function* () {
  const repo = yield* PaymentsRepo

  return Effect.fn("Payments.withinBounds")(function* (owner: UserId, items: number) {
    const now = yield* DateTime.now
    const { pending, unpaid } = yield* repo.countUnpaid(owner, DateTime.subtract(now, { days: 1 }))
    if (pending >= mostOpen) return yield* new TooManyOpenPayments({ details: { limit: mostOpen } })
    if (unpaid + items > mostUnpaid) return yield* new TooManyUnpaidOrders({ details: { limit: mostUnpaid } })
  })
})

/**
 * Stores a payment before the service calls its gateway. Locks the account's wallets while it counts the open payments.
 */
export const make = Effect.gen(function* () {
  const gateways = yield* PaymentGateways
  const ledger = yield* LedgerRepo
  const repo = yield* PaymentsRepo
  const wallets = yield* Wallets
  const paused = yield* PausedMethodsRepo
  const withinBounds = yield* makeWithinBounds
  const newAccounts = yield* NewAccountLimits.make

  const available = (purpose: PaymentIntent["purpose"]) => [
    ...(purpose === "order" ? ["wallet"] : []),
    ...PaymentMethod.literals.filter((method) => gateways.get(method) !== undefined)
  ]

  const prepare = Effect.fn("Payments.prepare")(function* (payment: PaymentRequest) {
    const { card_id = null, description, items, purpose, ...request } = payment
    const gateway = gateways.get(request.payment_method)
    if (gateway === undefined) return yield* new PaymentMethodNotOffered({ details: { available: available(purpose) } })
    yield* enforceMinimum(gateway, payment)
    const wallet = yield* wallets.balance(request.user_id, request.currency)
    const { purchases_stopped } = yield* wallets.lock(request.user_id)
    // The operator may have paused the method while the payment waited for the lock.
    if (yield* paused.isPaused(request.payment_method)) return yield* new PaymentMethodUnavailable()
    if (purpose === "order" && purchases_stopped) yield* wallets.mayBuy(request.user_id)
    yield* withinBounds(request.user_id, items)
    // The owner agreed to the charges of a saved card.
    if (card_id === null) yield* newAccounts.admit(request.user_id, payment)
    const now = yield* DateTime.now
    const transaction_id = yield* newTransactionId
    const entry = WalletTransaction.insert.makeEffect({
      ...request,
      id: transaction_id,
      wallet_id: wallet.id,
      transaction_type: "deposit",
      status: "pending",
      external_id: null,
      description,
      order_id: null,
      reference: `deposit:${transaction_id}`
    })
    yield* ledger.insertPending(yield* Effect.orDie(entry))
    const intent = PaymentIntent.insert.makeEffect({
      ...request,
      purpose,
      transaction_id,
      card_id,
      status: "pending",
      external_reference: null,
      payment_url: null,
      expires_at: DateTime.add(now, lifetime)
    })
    const look_at = DateTime.add(now, card_id === null ? firstLook : firstCardLook)
    const stored = yield* repo.insertIntent(yield* Effect.orDie(intent), { items, look_at })
    yield* newAccounts.note(stored.id, stored.payment_method)
    return stored
  })

  return { prepare, withinBounds }
})
