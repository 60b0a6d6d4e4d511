import { Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { BlocklistSync, type SyncOutcome } from "./BlocklistSync.ts"
import * as ReportBlocklistSyncs from "./ReportBlocklistSyncs.ts"

type Report = (id: string, outcome: SyncOutcome) => Effect.Effect<unknown>

const due = Effect.flatMap(BlocklistSync, ({ due }) => Effect.map(due, (lists) => lists.map(({ id }) => id)))

const round = (report: Report) =>
  Effect.fn("BlocklistSyncRounds.round")(function* (id: string) {
    const { lists, sync } = yield* BlocklistSync
    const list = lists.find((list) => list.id === id)
    if (list !== undefined) yield* report(id, yield* sync(list, "due"))
  })

/** Syncs every list whose time has come. */
export const run = (report: Report) =>
  Effect.flatMap(due, (ids) => Effect.forEach(ids, round(report), { concurrency: "unbounded", discard: true }))

/** At once and then every minute; a publisher that hangs delays its own list only. */
export const layer = Layer.unwrap(
  Effect.map(ReportBlocklistSyncs.make, (report) =>
    Job.perName("BlocklistSync", Schedule.concat(Schedule.once, Schedule.spaced("1 minute")), due, round(report))
  )
).pipe(Layer.provide(BlocklistSync.layer))
