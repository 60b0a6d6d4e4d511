import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { Payments } from "../../wallet/payments/Payments.ts"
import { type Restricted, RestrictionRoundsRepo } from "./RestrictionRoundsRepo.ts"

const accounts = 50
const lease = { minutes: 5 }
const again = { seconds: 1 }
/** A delivery or a payment that began before a restriction has ended after this time. */
const settles = { minutes: 1 }

/**
 * Ends what waits for a payment. A suspended account keeps its deposits; one whose person is shut out gets none. Money that
 * arrives anyway is credited to the wallet.
 */
const endPayments = Effect.fnUntraced(function* ({ access_blocked, user_id }: Restricted) {
  const payments = yield* Payments
  const waiting = yield* payments.waitingOf(user_id)
  for (const { id, purpose } of waiting)
    if ((purpose === "order" || access_blocked) && (yield* payments.abandon(id))) yield* payments.close(id)
})

const apply = Effect.fnUntraced(
  function* (account: Restricted) {
    const repo = yield* RestrictionRoundsRepo
    const { access_blocked, service_blocked, user_id } = account
    const isBlocked = access_blocked || service_blocked
    const now = yield* DateTime.now
    if (service_blocked) yield* repo.stopLate(user_id, now)
    if (isBlocked) yield* endPayments(account)
    yield* repo.settle(user_id, DateTime.subtract(now, settles), DateTime.add(yield* DateTime.now, again), isBlocked)
  },
  (effect, { user_id }) =>
    Effect.catchCause(effect, (cause) =>
      Effect.logWarning(`Cannot apply the restriction of account ${user_id} yet; the job tries again`, cause)
    )
)

/** Finishes what the transaction of a restriction cannot do: open payments, and deliveries that crossed it. */
export const run = Effect.gen(function* () {
  const repo = yield* RestrictionRoundsRepo
  const now = yield* DateTime.now
  const due = yield* repo.claim(now, DateTime.add(now, lease), accounts)
  yield* Effect.forEach(due, apply, { discard: true })
})

export const layer = Job.layer("RestrictionRounds", Schedule.spaced("1 second"), run).pipe(
  Layer.provide(RestrictionRoundsRepo.layer)
)
