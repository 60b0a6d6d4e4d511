import { Config, DateTime, Effect } from "effect"
import * as Setting from "../../platform/settings/IntegerSetting.ts"

const days = Setting.integer("BAN_END_DAYS", 1, 365).pipe(Config.withDefault(7))

/** The time since which an account must be banned for its proxies to end: `BAN_END_DAYS` ago. */
export const banDeadline = Effect.gen(function* () {
  return DateTime.subtract(yield* DateTime.now, { days: yield* days })
})
