import { Cause, Context, DateTime, Effect, Layer, Record } from "effect"
import { Atomically } from "../platform/Atomically.ts"
import { LedgerRepo } from "./LedgerRepo.ts"
import { excerpt, type Outcome } from "./PaymentCallback.ts"
import { PaymentCallbacksRepo } from "./PaymentCallbacksRepo.ts"
import { CallbackRefused, PaymentMethodUnavailable } from "./PaymentErrors.ts"
import { GatewayFailed, type RawCallback } from "./PaymentGateway.ts"
import { PaymentGateways } from "./PaymentGateways.ts"
import { PaymentIntent } from "./PaymentIntent.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"

/** What is to be paid from outside. */
export type PaymentRequest = Pick<
  PaymentIntent,
  "user_id" | "purpose" | "payment_method" | "currency" | "amount" | "transaction_id"
>

const lifetime = { minutes: 60 }
const patience = "10 seconds"
/** Anyone can send calls that are refused: beyond these they leave no trace. */
const refusedCallsKept = 10_000

/** Payments from outside: asked for at a gateway, settled by its calls. */
export class Payments extends Context.Service<
  Payments,
  {
    /** Writes down that a payment is about to be asked for, in the caller's transaction. */
    readonly prepare: (request: PaymentRequest) => Effect.Effect<PaymentIntent, PaymentMethodUnavailable>
    /** Asks the gateway for it; outside any transaction. A payment that cannot be asked for has failed. */
    readonly open: (intent: PaymentIntent) => Effect.Effect<void, PaymentMethodUnavailable>
    /** Takes a gateway's call; the same call may come again at any time. */
    readonly receive: (method: PaymentMethod, raw: RawCallback) => Effect.Effect<Outcome, CallbackRefused>
  }
>()("app/wallet/Payments") {
  static readonly layerNoDeps = Layer.effect(
    Payments,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const callbacks = yield* PaymentCallbacksRepo
      const gateways = yield* PaymentGateways
      const ledger = yield* LedgerRepo
      const repo = yield* PaymentsRepo
      const settlement = yield* PaymentSettlement

      const prepare = Effect.fn("Payments.prepare")(function* (request: PaymentRequest) {
        if (gateways.get(request.payment_method) === undefined) return yield* new PaymentMethodUnavailable()
        const intent = PaymentIntent.insert.makeEffect({
          ...request,
          status: "pending",
          external_reference: null,
          payment_url: null,
          expires_at: DateTime.add(yield* DateTime.now, lifetime)
        })
        return yield* repo.insertIntent(yield* Effect.orDie(intent))
      })

      const giveUp = Effect.fnUntraced(function* (intent: PaymentIntent) {
        yield* repo.settle(intent.id, "failed")
        yield* ledger.fail(intent.transaction_id)
      }, atomically)

      const open = Effect.fn("Payments.open")(function* (intent: PaymentIntent) {
        const gateway = gateways.get(intent.payment_method)
        const asked = gateway?.createIntent(intent) ?? Effect.fail(new GatewayFailed({ reason: "not configured" }))
        const payment = yield* asked.pipe(
          Effect.timeout(patience),
          Effect.catch((error) =>
            Effect.logWarning("A payment gateway failed", Cause.fail(error)).pipe(
              Effect.andThen(giveUp(intent)),
              Effect.andThen(Effect.fail(new PaymentMethodUnavailable()))
            )
          )
        )
        yield* repo.link(intent.id, payment)
      })

      const receive = Effect.fn("Payments.receive")(function* (method: PaymentMethod, raw: RawCallback) {
        const gateway = gateways.get(method)
        const headers = Record.filter(raw.headers, (_, name) => gateway?.headers.includes(name) ?? false)
        const kept = { headers, body: raw.body }
        const id = yield* callbacks.insert(method, kept)
        const event = yield* (gateway?.verify(raw) ?? Effect.fail(new CallbackRefused())).pipe(
          Effect.tapError(() => callbacks.refuse(id, excerpt(kept), refusedCallsKept))
        )
        const settled = Effect.tap(settlement.settle(method, event), (outcome) => callbacks.conclude(id, outcome))
        return yield* atomically(settled)
        // A caller who hangs up leaves nothing half done: neither a payment nor the whole body of a refused call.
      }, Effect.uninterruptible)

      return Payments.of({ prepare, open, receive })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([LedgerRepo.layer, PaymentCallbacksRepo.layer, PaymentsRepo.layer, PaymentSettlement.layer])
  )
}
