import { Effect, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as Money from "../../platform/Money.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { CallbackRefused } from "../PaymentErrors.ts"
import type { PaymentEvent, PaymentGateway, RawCallback } from "./PaymentGateway.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import * as Sandbox from "../Sandbox.ts"
import * as SandboxCall from "./SandboxCall.ts"
import { SandboxGatewayRepo } from "../SandboxGatewayRepo.ts"

/**
 * A gateway that moves no money: the customer chooses the result of the payment on a page of this service. Its calls
 * are signed like those of a real gateway, with a separate secret for each payment.
 */
export const make = Effect.gen(function* () {
  const { app_url } = yield* Addresses
  const mac = yield* Mac.Mac
  const repo = yield* SandboxGatewayRepo

  const createIntent = Effect.fn("SandboxGateway.createIntent")(function* ({ id }: PaymentIntent) {
    yield* repo.insert(id, yield* Secrets.make("sandbox_"))
    return { payment_url: `${app_url}/sandbox/pay/${id}`, external_reference: Sandbox.nameOf(id) }
  })

  const genuine = Effect.fnUntraced(
    function* (callback: RawCallback) {
      const call = yield* Schema.decodeUnknownEffect(SandboxCall.SandboxCall)(new TextDecoder().decode(callback.body))
      const payment = yield* Effect.flatMap(repo.find(call.payment_intent_id), Effect.fromOption)
      const areOurs = [call.charge_id, call.reversal?.id ?? call.charge_id].every(Sandbox.isCharge)
      if (!areOurs || !(yield* SandboxCall.isGenuine(payment.secret, callback))) return yield* new CallbackRefused()
      return { ...call, payment }
    },
    Effect.mapError(() => new CallbackRefused()),
    Effect.provideService(Mac.Mac, mac)
  )

  const authenticate = Effect.fn("SandboxGateway.authenticate")(
    function* (callback: RawCallback): Effect.fn.Return<ReadonlyArray<PaymentEvent>, unknown> {
      const { charge_id, currency, outcome, payment, payment_intent_id, reversal, ...call } = yield* genuine(callback)
      const external_reference = Sandbox.nameOf(payment_intent_id)
      if (outcome === "declined") return [{ _tag: "Declined", payment_intent_id, external_reference }]
      const amount = yield* Effect.fromNullishOr(Money.fromDecimal(currency, call.amount))
      if (outcome === "paid") return [{ _tag: "Paid", payment_intent_id, charge_id, currency, amount }]
      const { id: reversal_id, kind, status } = yield* Effect.fromNullishOr(reversal)
      // The payment comes first, because its own call may not have arrived yet.
      const paid = {
        _tag: "Paid",
        payment_intent_id,
        charge_id,
        currency: payment.currency,
        amount: payment.amount
      } as const
      return [paid, { _tag: "Reversed", charge_id, reversal_id, kind, status, amount }]
    },
    Effect.mapBoth({ onSuccess: (events) => Effect.succeed(events), onFailure: () => new CallbackRefused() })
  )

  return (payment_method: PaymentMethod): PaymentGateway => ({
    payment_method,
    headers: [SandboxCall.signatureHeader],
    createIntent,
    authenticate
  })
})
