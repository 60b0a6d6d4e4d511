import { Config, DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import * as Setting from "../../platform/settings/IntegerSetting.ts"
import { AccountClosureRepo } from "./AccountClosureRepo.ts"

const days = Setting.integer("BAN_END_DAYS", 1, 365).pipe(Config.withDefault(7))

/** Ends the proxies of accounts that were banned long ago: `AccountClosure` ends them one by one. */
export const run = Effect.gen(function* () {
  const repo = yield* AccountClosureRepo
  const now = yield* DateTime.now
  yield* repo.addBanned(DateTime.subtract(now, { days: yield* days }), now)
})

export const layer = Job.layer("BanEnd", Schedule.spaced("1 minute"), run).pipe(Layer.provide(AccountClosureRepo.layer))
