import { Context, Effect, Layer, Option } from "effect"
import { LedgerRepo } from "./LedgerRepo.ts"
import type { Outcome } from "./PaymentCallback.ts"
import type { PaymentEvent } from "./PaymentGateway.ts"
import type { PaymentIntent } from "./PaymentIntent.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import { Wallets } from "./Wallets.ts"
import { newTransactionId } from "./WalletTransaction.ts"

type Paid = Extract<PaymentEvent, { _tag: "Paid" }>

const isAsAsked = (intent: PaymentIntent, event: Paid) =>
  intent.status === "pending" && intent.currency === event.currency && intent.amount === event.amount

/**
 * The one transition of a payment intent, whoever reports the event and however often. Money that comes late,
 * twice or with another amount is credited as a deposit of its own (decisions section 5).
 */
export class PaymentSettlement extends Context.Service<
  PaymentSettlement,
  {
    /** Belongs into a transaction, which holds the intent's row from here on. */
    readonly settle: (method: PaymentMethod, event: PaymentEvent) => Effect.Effect<Outcome>
  }
>()("app/wallet/PaymentSettlement") {
  static readonly layerNoDeps = Layer.effect(
    PaymentSettlement,
    Effect.gen(function* () {
      const ledger = yield* LedgerRepo
      const repo = yield* PaymentsRepo
      const wallets = yield* Wallets

      const close = Effect.fnUntraced(function* (intent: PaymentIntent) {
        if (intent.status !== "pending") return
        yield* repo.settle(intent.id, "failed")
        yield* ledger.fail(intent.transaction_id)
      })

      const paid = Effect.fnUntraced(function* (intent: PaymentIntent, event: Paid) {
        const { _tag, ...charge } = event
        const { payment_method, transaction_id, user_id } = intent
        const asAsked = isAsAsked(intent, event)
        const entry = asAsked ? transaction_id : yield* newTransactionId
        if (!(yield* repo.insertCharge({ ...charge, payment_method, user_id, transaction_id: entry })))
          return "duplicate"
        if (asAsked) {
          yield* repo.settle(intent.id, "paid")
          yield* ledger.complete(transaction_id, event.charge_id)
          return "paid"
        }
        yield* close(intent)
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
        return "credited"
      })

      const settle = Effect.fn("PaymentSettlement.settle")(function* (method: PaymentMethod, event: PaymentEvent) {
        if (event._tag === "Irrelevant" || (event._tag === "Paid" && event.amount <= 0n)) return "ignored"
        const intent = Option.getOrUndefined(yield* repo.lock(event.payment_intent_id))
        if (intent === undefined || intent.payment_method !== method) {
          yield* Effect.logError("A gateway reports an unknown payment", event)
          return "unmatched"
        }
        if (event._tag === "Paid") return yield* paid(intent, event)
        if (intent.status !== "pending") return "ignored"
        yield* close(intent)
        return "declined"
      })

      return PaymentSettlement.of({ settle })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([LedgerRepo.layer, PaymentsRepo.layer, Wallets.layer]))
}
