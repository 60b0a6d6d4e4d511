import { Cause, DateTime, Effect, Layer, Option, Schedule } from "effect"
import type { UserId } from "../../accounts/User.ts"
import * as Failure from "../../platform/errors/Failure.ts"
import * as Job from "../../platform/Job.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { AutoTopUpOutcomes } from "../auto-top-up/AutoTopUpOutcomes.ts"
import { descriptions } from "../EntryDescription.ts"
import { Wallets } from "../Wallets.ts"
import * as ChargeCard from "./ChargeCard.ts"
import { Payments } from "./Payments.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"

const batch = 50
const concurrency = 8
/** Longer than a batch takes. After it, the job looks again at accounts that a crash left behind. */
const lease = { minutes: 5 }

/** Stores the payment before its card is charged. The locks of the wallets make each fall of a balance pay once. */
const makeBegin = Effect.gen(function* () {
  const atomically = yield* Atomically
  const outcomes = yield* AutoTopUpOutcomes
  const payments = yield* Payments
  const wallets = yield* Wallets

  return Effect.fn("AutoTopUpRounds.begin")(function* (user_id: UserId) {
    yield* wallets.lock(user_id)
    const due = Option.getOrUndefined(yield* outcomes.next(user_id))
    if (due === undefined) return undefined
    const intent = yield* payments.prepare({
      user_id,
      purpose: "deposit",
      payment_method: "card_gateway",
      currency: "USD",
      amount: due.amount,
      description: descriptions.auto_top_up,
      items: 1,
      card_id: due.card.id
    })
    return { intent, card: due.card }
  }, atomically)
})

/**
 * Tops up the accounts whose balance has fallen below their threshold. The booking that lets it fall makes the account due
 * (0053_auto_top_up).
 */
export const run = Effect.gen(function* () {
  const begin = yield* makeBegin
  const { charge } = yield* ChargeCard.make
  const outcomes = yield* AutoTopUpOutcomes

  const topUp = (user_id: UserId) =>
    begin(user_id).pipe(
      Effect.tapError((error) =>
        Effect.andThen(
          Effect.logWarning(...Failure.logLine(`Cannot top up account ${user_id} now`, Cause.fail(error))),
          outcomes.putOff(user_id)
        )
      ),
      Effect.flatMap((begun) => (begun === undefined ? Effect.void : charge(begun.intent, begun.card))),
      Effect.catchCause((cause) => Effect.logError(`Cannot top up account ${user_id}; the job tries again`, cause))
    )

  let claimed = batch
  while (claimed === batch) {
    const owners = yield* outcomes.claim(batch, DateTime.add(yield* DateTime.now, lease))
    yield* Effect.forEach(owners, topUp, { concurrency, discard: true })
    claimed = owners.length
  }
})

export const layer = Job.layer("AutoTopUpRounds", Schedule.spaced("1 second"), run).pipe(
  Layer.provide([AutoTopUpOutcomes.layer, PaymentSettlement.layer, PaymentsRepo.layer])
)
