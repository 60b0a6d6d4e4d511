import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { AccountClosureRepo } from "./AccountClosureRepo.ts"
import { banDeadline } from "./BanDeadline.ts"

/** Ends the proxies of accounts that were banned long ago: `AccountClosure` ends them one by one. */
export const run = Effect.gen(function* () {
  const repo = yield* AccountClosureRepo
  yield* repo.addBanned(yield* banDeadline, yield* DateTime.now)
})

export const layer = Job.layer("BanEnd", Schedule.spaced("1 minute"), run).pipe(Layer.provide(AccountClosureRepo.layer))
