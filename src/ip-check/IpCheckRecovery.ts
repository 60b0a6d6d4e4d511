import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Failure from "../platform/errors/Failure.ts"
import * as Job from "../platform/Job.ts"
import type { IpCheckId } from "./IpCheck.ts"
import { IpCheckSettlement } from "./IpCheckSettlement.ts"
import { IpCheckSettlementRepo } from "./IpCheckSettlementRepo.ts"

const batch = 100

/** Fails the checks whose lease has ended, because their process crashed, and returns the money. */
export const run = Effect.gen(function* () {
  const repo = yield* IpCheckSettlementRepo
  const settlement = yield* IpCheckSettlement
  const end = ({ id }: { readonly id: IpCheckId }) =>
    Effect.catchCause(settlement.fail(id, []), (cause) =>
      Effect.logError(...Failure.logLine(`Cannot end IP check ${id}`, cause))
    )
  yield* Effect.forEach(yield* repo.lapsed(yield* DateTime.now, batch), end, { discard: true })
})

export const layer = Job.layer("IpCheckRecovery", Schedule.spaced("15 seconds"), run).pipe(
  Layer.provide([IpCheckSettlement.layer, IpCheckSettlementRepo.layer])
)
