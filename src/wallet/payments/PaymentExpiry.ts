import { Cause, DateTime, Effect, Layer, Schedule } from "effect"
import * as Failure from "../../platform/errors/Failure.ts"
import * as Job from "../../platform/Job.ts"
import { irrelevant, type PaymentGateway } from "../gateways/PaymentGateway.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import { PaymentGateways } from "../gateways/PaymentGateways.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import { SandboxPayments } from "./SandboxPayments.ts"
import * as SettleFound from "./SettleFound.ts"

const batch = 100
const concurrency = 8
const callTimeout = "10 seconds"
/** The time until a payment is looked up again: longer than a batch of calls that all time out. */
const again = { pending: { minutes: 10 }, ended: { hours: 1 } }

/** Asks the gateway for all events of a payment. If the gateway does not answer, a later round asks again. */
const ask = (find: NonNullable<PaymentGateway["findPayment"]>, intent: PaymentIntent) =>
  Effect.timeout(find(intent), callTimeout).pipe(
    Effect.catch((error) =>
      Effect.as(
        Effect.logWarning(...Failure.logLine(`Cannot look up payment ${intent.id} at its gateway`, Cause.fail(error))),
        irrelevant
      )
    )
  )

/** Settles a payment that the gateway knows but has not reported, and ends the intent when it has expired. */
const review = Effect.fnUntraced(
  function* (intent: PaymentIntent) {
    const gateways = yield* PaymentGateways
    const settleFound = yield* SettleFound.make
    const find = gateways.get(intent.payment_method)?.findPayment
    yield* settleFound(intent, find === undefined ? undefined : yield* ask(find, intent))
  },
  (effect, intent) =>
    Effect.catchDefect(effect, (defect) =>
      Effect.logError(`Cannot settle or end payment ${intent.id}`, Cause.die(defect))
    )
)

const reviewAll = Effect.fn("PaymentExpiry.reviewAll")(function* (method: PaymentMethod) {
  const repo = yield* PaymentsRepo
  let claimed = batch
  while (claimed === batch) {
    const now = yield* DateTime.now
    const next = { pending: DateTime.add(now, again.pending), ended: DateTime.add(now, again.ended) }
    const due = yield* repo.claimDue(method, now, next, batch)
    yield* Effect.forEach(due, review, { concurrency, discard: true })
    claimed = due.length
  }
})

/** Reports sandbox decisions first, so that a decision in time counts before the intent expires. */
const resend = SandboxPayments.use((sandbox) => sandbox.resend).pipe(
  Effect.catchCause((cause) => Effect.logError("Cannot report sandbox decisions", cause))
)

const methods = Effect.as(resend, PaymentMethod.literals)

/** Ends payments that expired, after it has asked their gateways for them. */
export const run = Effect.flatMap(methods, (methods) =>
  Effect.forEach(methods, reviewAll, { concurrency: "unbounded", discard: true })
)

/** Each payment method has its own rounds, so that a gateway that hangs delays only its own payments. */
const layerNoDeps = Job.perName("PaymentExpiry", Schedule.fixed("1 minute"), methods, reviewAll)

export const layer = layerNoDeps.pipe(Layer.provide([PaymentsRepo.layer, PaymentSettlement.layer]))
