import { Cause, DateTime, Effect, FiberMap, Layer, Schedule } from "effect"
import { Atomically } from "../platform/Atomically.ts"
import * as Job from "../platform/Job.ts"
import { PaymentCallbacksRepo } from "./PaymentCallbacksRepo.ts"
import type { PaymentIntent } from "./PaymentIntent.ts"
import { PaymentGateways } from "./PaymentGateways.ts"
import { PaymentMethod } from "./PaymentMethod.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import { SandboxPayments } from "./SandboxPayments.ts"

const batch = 100
const concurrency = 8
const callTimeout = "10 seconds"
/** When a payment is looked up again, and when one whose time is up: longer than a batch of calls that all time out. */
const again = { pending: { minutes: 10 }, ended: { hours: 1 } }
const callBatch = 500
const refusedCallsKept = { days: 1 }

/** Takes what the gateway knows of a payment whose calls were lost; false when it may have more to say later. */
const lookUp = Effect.fnUntraced(
  function* (intent: PaymentIntent) {
    const atomically = yield* Atomically
    const gateways = yield* PaymentGateways
    const settlement = yield* PaymentSettlement
    const find = gateways.get(intent.payment_method)?.findPayment
    if (find === undefined) return true
    const event = yield* Effect.timeout(find(intent), callTimeout)
    yield* atomically(settlement.settle(intent.payment_method, event))
    return event._tag !== "Irrelevant"
  },
  (effect, intent) =>
    Effect.catchCause(effect, (cause) =>
      Effect.as(Effect.logWarning(`Payment ${intent.id} could not be looked up`, cause), false)
    )
)

/** A payment that came in counts, also when nobody said so; without one it ends when its time is up. */
const review = Effect.fnUntraced(
  function* (intent: PaymentIntent) {
    const atomically = yield* Atomically
    const repo = yield* PaymentsRepo
    const settlement = yield* PaymentSettlement
    const isKnown = yield* lookUp(intent)
    if (DateTime.isGreaterThan(intent.expires_at, yield* DateTime.now)) return
    yield* atomically(settlement.end(intent.id, "expired"))
    if (isKnown) yield* repo.forget(intent.id)
  },
  (effect, intent) =>
    Effect.catchDefect(effect, (defect) =>
      Effect.logError(`Payment ${intent.id} could not be ended`, Cause.die(defect))
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

const before = Effect.gen(function* () {
  const callbacks = yield* PaymentCallbacksRepo
  const sandbox = yield* SandboxPayments
  // What the customer decided in time counts before the time is up.
  yield* sandbox.resend
  const since = DateTime.subtract(yield* DateTime.now, refusedCallsKept)
  yield* Effect.repeat(callbacks.removeRefused(since, callBatch), { while: (removed) => removed === callBatch })
})

/** Ends the payments nobody made in time, and forgets old calls that no gateway had signed. */
export const run = Effect.andThen(
  before,
  Effect.forEach(PaymentMethod.literals, reviewAll, { concurrency: "unbounded", discard: true })
)

/** A gateway that hangs is waited for by nobody but its own payments. */
const layerNoDeps = Layer.unwrap(
  Effect.gen(function* () {
    const rounds = yield* FiberMap.make<PaymentMethod>()
    const begin = (method: PaymentMethod) =>
      FiberMap.run(
        rounds,
        method,
        Effect.catchCause(reviewAll(method), (cause) =>
          Effect.logError(`No ${method} payment could be reviewed`, cause)
        ),
        { onlyIfMissing: true }
      )
    return Job.layer(
      "PaymentExpiry",
      Schedule.fixed("1 minute"),
      Effect.andThen(before, Effect.forEach(PaymentMethod.literals, begin, { discard: true }))
    )
  })
)

export const layer = layerNoDeps.pipe(
  Layer.provide([PaymentsRepo.layer, PaymentCallbacksRepo.layer, PaymentSettlement.layer])
)
