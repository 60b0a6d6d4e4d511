import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { NotificationsRepo } from "./NotificationsRepo.ts"

const batch = 1000
const readRetention = { days: 90 }
const unreadRetention = { days: 365 }

/** Removes read notifications after 90 days, and unread notifications after a year. */
export const run = Effect.gen(function* () {
  const repo = yield* NotificationsRepo
  const now = yield* DateTime.now
  const old = [
    repo.removeRead(DateTime.subtract(now, readRetention), batch),
    repo.removeUnread(DateTime.subtract(now, unreadRetention), batch)
  ]
  for (const remove of old) yield* Effect.repeat(remove, { while: (removed) => removed === batch })
})

export const layer = Job.layer("NotificationCleanup", Schedule.spaced("6 hours"), run).pipe(
  Layer.provide(NotificationsRepo.layer)
)
