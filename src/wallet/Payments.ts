import { Cause, Context, DateTime, Effect, Layer, Option, Record } from "effect"
import { Atomically } from "../platform/Atomically.ts"
import { LedgerRepo } from "./LedgerRepo.ts"
import { excerpt, type Outcome } from "./PaymentCallback.ts"
import { PaymentCallbacksRepo } from "./PaymentCallbacksRepo.ts"
import { type Checkout, refusalOf } from "./PaymentCheckout.ts"
import { CallbackRefused, PaymentMethodUnavailable } from "./PaymentErrors.ts"
import { GatewayFailed, type GatewayPayment, type RawCallback } from "./PaymentGateway.ts"
import { PaymentGateways } from "./PaymentGateways.ts"
import { PaymentIntent, type PaymentIntentId } from "./PaymentIntent.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import { Wallets } from "./Wallets.ts"
import { newTransactionId, WalletTransaction } from "./WalletTransaction.ts"

/** What is to be paid from outside; `description` is for the ledger. */
type PaymentRequest = Pick<PaymentIntent, "user_id" | "purpose" | "payment_method" | "currency" | "amount"> & {
  readonly description: string
}

const lifetime = { minutes: 60 }
/** A payment this old whose gateway has not called is looked up there. */
const firstLook = { minutes: 10 }
const patience = "10 seconds"
/** A gateway that asks whether a payment may go on waits no longer. */
const checkoutPatience = "8 seconds"
/** Anyone can send calls that are refused: beyond these they leave no trace. */
const refusedCallsKept = 10_000

const makePrepare = Effect.gen(function* () {
  const gateways = yield* PaymentGateways
  const ledger = yield* LedgerRepo
  const repo = yield* PaymentsRepo
  const wallets = yield* Wallets

  return Effect.fn("Payments.prepare")(function* ({ description, purpose, ...request }: PaymentRequest) {
    if (gateways.get(request.payment_method) === undefined) return yield* new PaymentMethodUnavailable()
    const wallet = yield* wallets.balance(request.user_id, request.currency)
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
    const now = yield* DateTime.now
    const intent = PaymentIntent.insert.makeEffect({
      ...request,
      purpose,
      transaction_id,
      status: "pending",
      external_reference: null,
      payment_url: null,
      expires_at: DateTime.add(now, lifetime)
    })
    return yield* repo.insertIntent(yield* Effect.orDie(intent), DateTime.add(now, firstLook))
  })
})

const makeOpen = Effect.gen(function* () {
  const gateways = yield* PaymentGateways
  const repo = yield* PaymentsRepo

  return Effect.fn("Payments.open")(function* (intent: PaymentIntent) {
    const gateway = gateways.get(intent.payment_method)
    const asked = gateway?.createIntent(intent) ?? Effect.fail(new GatewayFailed({ reason: "not configured" }))
    const payment = yield* asked.pipe(
      Effect.timeout(patience),
      Effect.catch((error) =>
        Effect.andThen(
          Effect.logWarning("A payment gateway failed", Cause.fail(error)),
          Effect.fail(new PaymentMethodUnavailable())
        )
      )
    )
    yield* repo.link(intent.id, payment)
    return payment
  })
})

const makeReceive = Effect.gen(function* () {
  const atomically = yield* Atomically
  const callbacks = yield* PaymentCallbacksRepo
  const gateways = yield* PaymentGateways
  const repo = yield* PaymentsRepo
  const settlement = yield* PaymentSettlement

  const answer = Effect.fnUntraced(
    function* (method: PaymentMethod, event: Checkout) {
      const intent = Option.getOrUndefined(yield* repo.find(event.payment_intent_id))
      yield* event.answer(refusalOf(intent, method, event, yield* DateTime.now))
    },
    Effect.timeout(checkoutPatience),
    Effect.catch((error) => Effect.logWarning("A payment gateway could not be answered", Cause.fail(error)))
  )

  return Effect.fn("Payments.receive")(function* (method: PaymentMethod, raw: RawCallback) {
    const gateway = gateways.get(method)
    const headers = Record.filter(raw.headers, (_, name) => gateway?.headers.includes(name) ?? false)
    const kept = { headers, body: raw.body }
    const id = yield* callbacks.insert(method, kept)
    const event = yield* (gateway?.verify(raw) ?? Effect.fail(new CallbackRefused())).pipe(
      Effect.tapError(() => callbacks.refuse(id, excerpt(kept), refusedCallsKept))
    )
    if (event._tag === "Checkout") yield* answer(method, event)
    const settled = Effect.tap(settlement.settle(method, event), (outcome) => callbacks.conclude(id, outcome))
    return yield* atomically(settled)
    // A caller who hangs up leaves nothing half done: neither a payment nor the whole body of a refused call.
  }, Effect.uninterruptible)
})

/** Payments from outside: asked for at a gateway, settled by its calls. */
export class Payments extends Context.Service<
  Payments,
  {
    /** Writes down, with its pending entry, that a payment is about to be asked for; in the caller's transaction. */
    readonly prepare: (request: PaymentRequest) => Effect.Effect<PaymentIntent, PaymentMethodUnavailable>
    /** Asks the gateway for it; outside any transaction. Asking again leads to the same payment. */
    readonly open: (intent: PaymentIntent) => Effect.Effect<GatewayPayment, PaymentMethodUnavailable>
    /** Ends a payment that is waited for no longer, in the caller's transaction; false when it has ended before. */
    readonly abandon: (id: PaymentIntentId) => Effect.Effect<boolean>
    readonly find: (id: PaymentIntentId) => Effect.Effect<Option.Option<PaymentIntent>>
    /** Takes a gateway's call; the same call may come again at any time. */
    readonly receive: (method: PaymentMethod, raw: RawCallback) => Effect.Effect<Outcome, CallbackRefused>
  }
>()("app/wallet/Payments") {
  static readonly layerNoDeps = Layer.effect(
    Payments,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const repo = yield* PaymentsRepo
      const settlement = yield* PaymentSettlement

      const abandon = Effect.fn("Payments.abandon")((id: PaymentIntentId) => atomically(settlement.end(id, "failed")))

      return Payments.of({
        prepare: yield* makePrepare,
        open: yield* makeOpen,
        abandon,
        find: repo.find,
        receive: yield* makeReceive
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      LedgerRepo.layer,
      PaymentCallbacksRepo.layer,
      PaymentsRepo.layer,
      PaymentSettlement.layer,
      Wallets.layer
    ])
  )
}
