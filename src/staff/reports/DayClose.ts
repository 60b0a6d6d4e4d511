import { DateTime, Effect, Layer, Option, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { DayCloseRepo } from "./DayCloseRepo.ts"

/** The time after the end of a day in which its last transactions commit. */
const patience = { minutes: 15 }

/** Limit of the days of one round, for a ledger of years that has no stored days yet. */
const daysAtMost = 100

/** Stores the figures of each day that has ended, the oldest first. */
export const run = Effect.gen(function* () {
  const days = yield* DayCloseRepo
  const latest = DateTime.subtract(yield* DateTime.now, patience)
  for (let stored = 0; stored < daysAtMost; stored++) {
    const day = Option.getOrUndefined(yield* days.nextDay)
    if (day === undefined) return
    const end = DateTime.add(DateTime.makeUnsafe(`${day}T00:00:00Z`), { days: 1 })
    if (DateTime.isGreaterThan(end, latest)) return
    // Another instance stores the day.
    if (!(yield* days.close(day, end))) return
  }
})

export const layer = Job.layer("DayClose", Schedule.spaced("5 minutes"), run).pipe(Layer.provide(DayCloseRepo.layer))
