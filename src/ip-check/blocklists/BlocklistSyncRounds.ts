import { Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { BlocklistSync } from "./BlocklistSync.ts"
import * as ReportBlocklistSyncs from "./ReportBlocklistSyncs.ts"

const due = Effect.flatMap(BlocklistSync, ({ due }) => Effect.map(due, (lists) => lists.map(({ id }) => id)))

const round = (report: ReportBlocklistSyncs.Report) =>
  Effect.fn("BlocklistSyncRounds.round")(function* (id: string) {
    const { lists, sync } = yield* BlocklistSync
    const list = lists.find((list) => list.id === id)
    if (list !== undefined) yield* report(id, yield* sync(list, "due"))
  })

/** Syncs every list whose `sync_at` has passed. */
export const run = (report: ReportBlocklistSyncs.Report) =>
  Effect.flatMap(due, (ids) => Effect.forEach(ids, round(report), { concurrency: "unbounded", discard: true }))

/** Runs immediately, then every minute. A slow publisher delays only its own list. */
export const layer = Layer.unwrap(
  Effect.map(ReportBlocklistSyncs.make, (report) =>
    Job.perName("BlocklistSync", Schedule.concat(Schedule.once, Schedule.spaced("1 minute")), due, round(report))
  )
).pipe(Layer.provide(BlocklistSync.layer))
