import { Cause, Context, DateTime, Effect, Layer, Option, Record } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
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
  type PaymentGateway,
  type RawCallback
} from "../gateways/PaymentGateway.ts"
import { PaymentGateways } from "../gateways/PaymentGateways.ts"
import type { PaymentIntent, PaymentIntentId } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import * as PaymentPreparation from "./PaymentPreparation.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import type { PurchasesStopped } from "../WalletErrors.ts"
import { Wallets } from "../Wallets.ts"

const patience = "10 seconds"
/** A gateway that asks whether a payment may go on waits no longer. */
const checkoutPatience = "8 seconds"
/** Nobody waits longer for a payment's page to be taken back. */
const closingPatience = "3 seconds"
/** Anyone can send calls that are refused: beyond these they leave no trace. */
const refusedCallsKept = 1000

const makeOpen = Effect.gen(function* () {
  const gateways = yield* PaymentGateways
  const repo = yield* PaymentsRepo

  return Effect.fn("Payments.open")(function* (intent: PaymentIntent) {
    const { external_reference, payment_url } = intent
    if (payment_url !== null && external_reference !== null) return { external_reference, payment_url }
    const gateway = gateways.get(intent.payment_method)
    const asked = gateway?.createIntent(intent) ?? Effect.fail(new GatewayFailed({ reason: "not configured" }))
    const payment = yield* asked.pipe(
      Effect.timeout(patience),
      Effect.catch((error) =>
        Effect.andThen(
          Effect.logError(...Failure.told("A payment could not be asked for", Cause.fail(error))),
          Effect.fail(new PaymentMethodUnavailable())
        )
      )
    )
    yield* repo.link(intent.id, payment)
    return payment
  })
})

/** A call as it is kept: with the headers that prove it, and no others. */
const keptOf = (gateway: PaymentGateway | undefined, { body, headers }: RawCallback): RawCallback => ({
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
    Effect.catch((error) =>
      Effect.logWarning(...Failure.told("A payment gateway could not be answered", Cause.fail(error)))
    )
  )

  const unchecked = Effect.fnUntraced(function* (id: PaymentCallbackId, failure: GatewayFailed) {
    yield* Effect.logError(
      ...Failure.told("A payment gateway's call could not be read or checked", Cause.fail(failure))
    )
    yield* callbacks.conclude(id, "unchecked")
    return yield* new CallbackNotChecked()
  })

  return Effect.fn("Payments.receive")(function* (method: PaymentMethod, raw: RawCallback) {
    const gateway = gateways.get(method)
    if (gateway === undefined) return yield* new CallbackUnexpected()
    // What anyone may have sent costs no write; what the gateway sent is kept before anything is made of it.
    const read = yield* gateway.authenticate(raw)
    const id = yield* callbacks.insert(method, keptOf(gateway, raw))
    const events = yield* Effect.catch(read, (failure) => unchecked(id, failure))
    for (const event of events) if (event._tag === "Checkout") yield* answer(method, event)
    const settled = Effect.tap(settlement.settle(method, events), (outcome) => callbacks.conclude(id, outcome))
    return yield* atomically(settled)
    // A caller who hangs up leaves nothing half done.
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
      Effect.logWarning(...Failure.told("A payment's page could not be taken back", Cause.fail(error)))
    )
  )
})

/** Payments from outside: asked for at a gateway, settled by its calls. */
export class Payments extends Context.Service<
  Payments,
  {
    /** Writes down, with its pending entry, that a payment is about to be asked for; in the caller's transaction. */
    readonly prepare: (
      request: PaymentPreparation.PaymentRequest
    ) => Effect.Effect<
      PaymentIntent,
      PaymentMethodNotOffered | TooManyOpenPayments | TooManyUnpaidOrders | PurchasesStopped | RequestInvalid
    >
    /** Fails when the account may not ask for `items` more at this moment; only `prepare` can promise it. */
    readonly withinBounds: (
      owner: UserId,
      items: number
    ) => Effect.Effect<void, TooManyOpenPayments | TooManyUnpaidOrders>
    /** Asks the gateway for it; outside any transaction. Asking again leads to the same payment. */
    readonly open: (intent: PaymentIntent) => Effect.Effect<GatewayPayment, PaymentMethodUnavailable>
    /** Ends a payment that is waited for no longer, in the caller's transaction; false when it has ended before. */
    readonly abandon: (id: PaymentIntentId) => Effect.Effect<boolean>
    /** Has the gateway take the page back, if it can and does; money that comes all the same is credited. */
    readonly close: (id: PaymentIntentId) => Effect.Effect<void>
    readonly find: (id: PaymentIntentId) => Effect.Effect<Option.Option<PaymentIntent>>
    /** Takes a gateway's call; the same call may come again at any time. */
    readonly receive: (
      method: PaymentMethod,
      raw: RawCallback
    ) => Effect.Effect<Outcome, CallbackRefused | CallbackUnexpected | CallbackNotChecked>
    /** Keeps the beginning of a call that was refused, while few are kept. */
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
        ...(yield* PaymentPreparation.make),
        open: yield* makeOpen,
        abandon,
        close: yield* makeClose,
        find: repo.find,
        receive: yield* makeReceive,
        noteRefused: (method, raw) =>
          callbacks.insertRefused(method, excerpt(keptOf(gateways.get(method), raw)), refusedCallsKept)
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
