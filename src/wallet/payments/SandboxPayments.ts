import { Context, Effect, Layer, Option } from "effect"
import { Mac } from "effect/crypto"
import * as Money from "../../platform/Money.ts"
import * as SandboxCall from "../gateways/SandboxCall.ts"
import { SandboxGatewayRepo } from "../SandboxGatewayRepo.ts"
import type { PaymentIntentId } from "../PaymentIntent.ts"
import { Payments } from "./Payments.ts"
import * as Sandbox from "../Sandbox.ts"
import type { SandboxDecision, SandboxPayment } from "../SandboxPayment.ts"

const batch = 100

/** The simulated payments that the customer decides on the sandbox page. */
export class SandboxPayments extends Context.Service<
  SandboxPayments,
  {
    readonly find: (id: PaymentIntentId) => Effect.Effect<Option.Option<SandboxPayment>>
    /** Stores the final decision of a payment, and reports it as a gateway does. */
    readonly decide: (id: PaymentIntentId, decision: SandboxDecision) => Effect.Effect<void>
    /** Reports decisions again that were not accepted, as a gateway does until it gets an answer. */
    readonly resend: Effect.Effect<void>
  }
>()("app/wallet/SandboxPayments") {
  static readonly layerNoDeps = Layer.effect(
    SandboxPayments,
    Effect.gen(function* () {
      const enabled = yield* Sandbox.enabled
      const mac = yield* Mac.Mac
      const payments = yield* Payments
      const repo = yield* SandboxGatewayRepo

      const report = Effect.fnUntraced(
        function* (payment: SandboxPayment, outcome: SandboxDecision) {
          const callback = yield* SandboxCall.signed(payment.secret, {
            payment_intent_id: payment.id,
            outcome,
            charge_id: Sandbox.nameOf(payment.id),
            amount: Money.toDecimal(payment.currency, payment.amount),
            currency: payment.currency
          })
          yield* payments.receive(payment.payment_method, callback)
          yield* repo.reported(payment.id)
        },
        Effect.provideService(Mac.Mac, mac),
        Effect.orDie
      )

      const decide = Effect.fn("SandboxPayments.decide")(function* (id: PaymentIntentId, decision: SandboxDecision) {
        yield* repo.decide(id, decision)
        const decided = yield* repo.find(id)
        if (Option.isSome(decided)) yield* report(decided.value, decided.value.outcome ?? decision)
      })

      const resend = Effect.fn("SandboxPayments.resend")(function* () {
        let last: PaymentIntentId | undefined
        let found = enabled ? batch : 0
        while (found === batch) {
          const decided = yield* repo.unreported(batch, last)
          for (const payment of decided)
            if (payment.outcome !== null)
              yield* Effect.catchCause(report(payment, payment.outcome), (cause) =>
                Effect.logError("Cannot report a sandbox decision", cause)
              )
          found = decided.length
          last = decided.at(-1)?.id
        }
      })

      return SandboxPayments.of({ find: repo.find, decide, resend: resend() })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Payments.layer, SandboxGatewayRepo.layer]))
}
