import { DateTime, Effect } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { PaymentEvent } from "../gateways/PaymentGateway.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"

/**
 * Makes the function that settles what a look-up at the gateway found, and ends the intent when it has expired. The intent does
 * not end while a payment cannot be booked. `undefined`: the gateway cannot be asked.
 */
export const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const repo = yield* PaymentsRepo
  const settlement = yield* PaymentSettlement

  return Effect.fnUntraced(function* (intent: PaymentIntent, found: ReadonlyArray<PaymentEvent> | undefined) {
    if (found !== undefined && found.length > 0) yield* atomically(settlement.settle(intent.payment_method, found))
    if (DateTime.isGreaterThan(intent.expires_at, yield* DateTime.now)) return
    yield* atomically(settlement.end(intent.id, "expired"))
    if (found === undefined || found.some(({ _tag }) => _tag === "Declined")) yield* repo.forget(intent.id)
  })
})
