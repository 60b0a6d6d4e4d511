import { Cause, Context, DateTime, Effect, Layer, Option, Record } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import * as Failure from "../../platform/errors/Failure.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { LedgerRepo } from "../LedgerRepo.ts"
import { excerpt, type Outcome, type PaymentCallbackId } from "./PaymentCallback.ts"
import { PaymentCallbacksRepo } from "./PaymentCallbacksRepo.ts"
import { type Checkout, refusalOf } from "./PaymentCheckout.ts"
import {
  CallbackNotChecked,
  type CallbackRefused,
  CallbackUnexpected,
  type PaymentMethodNotOffered,
  PaymentMethodUnavailable,
  type TooManyOpenPayments,
  type TooManyUnpaidOrders
} from "../PaymentErrors.ts"
import {
  GatewayFailed,
  type GatewayPayment,
  type PaymentEvent,
  type PaymentGateway,
  type RawCallback
} from "../gateways/PaymentGateway.ts"
import { PaymentGateways } from "../gateways/PaymentGateways.ts"
import { type OfferedMethod, offeredMethods } from "./OfferedMethod.ts"
import type { PaymentIntent, PaymentIntentId } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import { NewAccountLimitsRepo } from "./NewAccountLimitsRepo.ts"
import { PausedMethodsRepo } from "../PausedMethodsRepo.ts"
import * as PreparePayment from "./PreparePayment.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import type { PurchasesStopped } from "../WalletErrors.ts"
import { Wallets } from "../Wallets.ts"

const patience = "10 seconds"
/** A gateway that asks for permission to continue a payment does not wait longer. */
const checkoutPatience = "8 seconds"
/** The time limit of closing a payment's page. */
const closingPatience = "3 seconds"
/** Maximum number of stored refused callbacks, because anyone can send them. */
const mostRefusedStored = 1000

const makeOpen = Effect.gen(function* () {
  const gateways = yield* PaymentGateways
  const repo = yield* PaymentsRepo

  return Effect.fn("Payments.open")(function* (intent: PaymentIntent, save_card?: boolean) {
    const { external_reference, payment_url } = intent
    if (payment_url !== null && external_reference !== null) return { external_reference, payment_url }
    if (intent.card_id !== null) return yield* Effect.die(new Error("The customer cannot pay what a saved card pays"))
    const gateway = gateways.get(intent.payment_method)
    const requested =
      gateway?.createIntent(intent, save_card) ?? Effect.fail(new GatewayFailed({ reason: "not configured" }))
    const payment = yield* requested.pipe(
      Effect.timeout(patience),
      Effect.catch((error) =>
        Effect.andThen(
          Effect.logError(...Failure.logLine("Cannot request a payment from its gateway", Cause.fail(error))),
          Effect.fail(new PaymentMethodUnavailable())
        )
      )
    )
    yield* repo.link(intent.id, payment)
    return payment
  })
})

/** The stored form of a callback: its body, and only the headers that prove it. */
const storedOf = (gateway: PaymentGateway | undefined, { body, headers }: RawCallback): RawCallback => ({
  headers: Record.filter(headers, (_, name) => gateway?.headers.includes(name) ?? false),
  body
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
    Effect.catch((error) => Effect.logWarning(...Failure.logLine("Cannot answer a payment gateway", Cause.fail(error))))
  )

  /** The payment that a call is about, if it is on record. */
  const paymentOf = Effect.fnUntraced(function* (method: PaymentMethod, events: ReadonlyArray<PaymentEvent>) {
    for (const event of events) {
      if (event._tag === "CardSaved") continue
      const found = yield* event._tag === "Reversed"
        ? repo.ofCharge(method, event.charge_id)
        : repo.find(event.payment_intent_id)
      if (Option.isSome(found) && found.value.payment_method === method) return found.value.id
    }
    return null
  })

  const unchecked = Effect.fnUntraced(function* (id: PaymentCallbackId, failure: GatewayFailed) {
    yield* Effect.logError(
      ...Failure.logLine("Cannot read or confirm the call of a payment gateway", Cause.fail(failure))
    )
    yield* callbacks.conclude(id, "unchecked", null)
    return yield* new CallbackNotChecked()
  })

  return Effect.fn("Payments.receive")(function* (method: PaymentMethod, raw: RawCallback) {
    const gateway = gateways.get(method)
    if (gateway === undefined) return yield* new CallbackUnexpected()
    // A forged call costs no write. A genuine call is stored before it is processed.
    const read = yield* gateway.authenticate(raw)
    const id = yield* callbacks.insert(method, storedOf(gateway, raw))
    const events = yield* Effect.catch(read, (failure) => unchecked(id, failure))
    for (const event of events) if (event._tag === "Checkout") yield* answer(method, event)
    const settled = Effect.tap(settlement.settle(method, events), (outcome) =>
      Effect.flatMap(paymentOf(method, events), (payment) => callbacks.conclude(id, outcome, payment))
    )
    return yield* atomically(settled)
    // A gateway that hangs up does not interrupt the settlement.
  }, Effect.uninterruptible)
})

const makeClose = Effect.gen(function* () {
  const gateways = yield* PaymentGateways
  const repo = yield* PaymentsRepo

  return Effect.fn("Payments.close")(
    function* (id: PaymentIntentId) {
      const intent = yield* Effect.flatMap(repo.find(id), Effect.fromOption)
      yield* gateways.get(intent.payment_method)?.close?.(intent) ?? Effect.void
    },
    Effect.timeout(closingPatience),
    Effect.catch((error) =>
      Effect.logWarning(...Failure.logLine("Cannot close the page of a payment", Cause.fail(error)))
    )
  )
})

/** Payments from outside: requested from a gateway, and settled by its callbacks. */
export class Payments extends Context.Service<
  Payments,
  {
    /** The payment methods that are switched on. */
    readonly offered: Effect.Effect<ReadonlyArray<OfferedMethod>>
    /**
     * Stores a payment and its pending ledger entry in the caller's transaction, before the service calls the gateway.
     */
    readonly prepare: (
      request: PreparePayment.PaymentRequest
    ) => Effect.Effect<
      PaymentIntent,
      | PaymentMethodNotOffered
      | PaymentMethodUnavailable
      | TooManyOpenPayments
      | TooManyUnpaidOrders
      | PurchasesStopped
      | RequestInvalid
    >
    /** Fails when the account may not request `items` more now. Only `prepare` guarantees it. */
    readonly withinBounds: (
      owner: UserId,
      items: number
    ) => Effect.Effect<void, TooManyOpenPayments | TooManyUnpaidOrders>
    /** Requests the payment from its gateway, outside any transaction. A repeated call leads to the same payment. */
    readonly open: (
      intent: PaymentIntent,
      save_card?: boolean
    ) => Effect.Effect<GatewayPayment, PaymentMethodUnavailable>
    /** Ends a pending payment in the caller's transaction; false when it has ended before. */
    readonly abandon: (id: PaymentIntentId) => Effect.Effect<boolean>
    /** Closes the payment's page at the gateway, if the gateway can. Money that still arrives is credited. */
    readonly close: (id: PaymentIntentId) => Effect.Effect<void>
    /** The payments of an account that wait for the customer, neither paid nor ended, oldest first. */
    readonly waitingOf: (owner: UserId) => Effect.Effect<ReadonlyArray<PaymentIntent>>
    readonly find: (id: PaymentIntentId) => Effect.Effect<Option.Option<PaymentIntent>>
    /** Processes the callback of a gateway. A repeated callback changes nothing. */
    readonly receive: (
      method: PaymentMethod,
      raw: RawCallback
    ) => Effect.Effect<Outcome, CallbackRefused | CallbackUnexpected | CallbackNotChecked>
    /** Stores the beginning of a refused callback, up to a limit. */
    readonly noteRefused: (method: PaymentMethod, raw: RawCallback) => Effect.Effect<void>
  }
>()("app/wallet/Payments") {
  static readonly layerNoDeps = Layer.effect(
    Payments,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const repo = yield* PaymentsRepo
      const callbacks = yield* PaymentCallbacksRepo
      const gateways = yield* PaymentGateways
      const settlement = yield* PaymentSettlement

      const abandon = Effect.fn("Payments.abandon")((id: PaymentIntentId) => atomically(settlement.end(id, "failed")))

      return Payments.of({
        ...(yield* PreparePayment.make),
        offered: Effect.sync(() => offeredMethods(gateways)),
        open: yield* makeOpen,
        abandon,
        close: yield* makeClose,
        waitingOf: repo.waitingOf,
        find: repo.find,
        receive: yield* makeReceive,
        noteRefused: (method, raw) =>
          callbacks.insertRefused(method, excerpt(storedOf(gateways.get(method), raw)), mostRefusedStored)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      ClientAddress.layer,
      LedgerRepo.layer,
      NewAccountLimitsRepo.layer,
      PausedMethodsRepo.layer,
      PaymentCallbacksRepo.layer,
      PaymentsRepo.layer,
      PaymentSettlement.layer,
      Wallets.layer
    ])
  )
}
