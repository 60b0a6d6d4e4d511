import { Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { BlocklistSync } from "./BlocklistSync.ts"

const due = Effect.flatMap(BlocklistSync, ({ due }) => Effect.map(due, (lists) => lists.map(({ id }) => id)))

const round = Effect.fn("BlocklistSyncRounds.round")(function* (id: string) {
  const { lists, sync } = yield* BlocklistSync
  const list = lists.find((list) => list.id === id)
  if (list === undefined) return
  const outcome = yield* sync(list, "due")
  if (outcome._tag === "Failed")
    yield* Effect.logWarning(`Blocklist ${id} could not be synced; its last copy stays: ${outcome.reason}`)
  if (outcome._tag === "Loaded") yield* Effect.logInfo(`Blocklist ${id} has ${outcome.networks} networks`)
})

/** Syncs every list whose time has come. */
export const run = Effect.flatMap(due, (ids) => Effect.forEach(ids, round, { concurrency: "unbounded", discard: true }))

/** At once and then every minute; a publisher that hangs delays its own list only. */
export const layer = Job.perName(
  "BlocklistSync",
  Schedule.concat(Schedule.once, Schedule.spaced("1 minute")),
  due,
  round
).pipe(Layer.provide(BlocklistSync.layer))
