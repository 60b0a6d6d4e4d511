import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { PaymentCallbacksRepo } from "./PaymentCallbacksRepo.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import { SandboxPayments } from "./SandboxPayments.ts"

const batch = 500
const refusedCallsKept = { days: 1 }

/** Ends the payments nobody made in time, and forgets old calls that no gateway had signed. */
export const run = Effect.gen(function* () {
  const payments = yield* PaymentsRepo
  const callbacks = yield* PaymentCallbacksRepo
  const sandbox = yield* SandboxPayments
  // What the customer decided in time counts before the time is up.
  yield* sandbox.resend
  yield* payments.expireDue(batch)
  const before = DateTime.subtract(yield* DateTime.now, refusedCallsKept)
  yield* Effect.repeat(callbacks.removeRefused(before, batch), { while: (removed) => removed === batch })
})

const layerNoDeps = Job.layer("PaymentExpiry", Schedule.fixed("1 minute"), run)

export const layer = layerNoDeps.pipe(Layer.provide([PaymentsRepo.layer, PaymentCallbacksRepo.layer]))
