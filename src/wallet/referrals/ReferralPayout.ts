import { DateTime, Effect, Layer, Schedule } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import * as Job from "../../platform/Job.ts"
import { Referrals } from "./Referrals.ts"
import { ReferralSharesRepo } from "./ReferralSharesRepo.ts"

const batch = 100
/** The time until a share that waits for a verified email is checked again. */
const again = { days: 1 }

/** Credits or refuses the referral shares that are due. */
export const run = Effect.gen(function* () {
  const atomically = yield* Atomically
  const referrals = yield* Referrals
  const repo = yield* ReferralSharesRepo
  let claimed = batch
  while (claimed === batch) {
    const now = yield* DateTime.now
    const due = yield* repo.claimDue(now, DateTime.add(now, again), batch)
    for (const share of due)
      yield* Effect.catchCause(atomically(referrals.pay(share)), (cause) =>
        Effect.logError(`Cannot settle the referral share of charge ${share.charge_id}; trying again tomorrow`, cause)
      )
    claimed = due.length
  }
})

export const layer = Job.layer("ReferralPayout", Schedule.spaced("1 minute"), run).pipe(
  Layer.provide([Referrals.layer, ReferralSharesRepo.layer])
)
