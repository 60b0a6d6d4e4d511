import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { AuthorizationsRepo } from "./AuthorizationsRepo.ts"
import { ClientsRepo } from "./ClientsRepo.ts"
import { OAuthCleanupRepo } from "./OAuthCleanupRepo.ts"
import { OAuthEventsRepo } from "./OAuthEventsRepo.ts"

const batch = 500
/** Batches per kind of row in one run. A longer backlog takes several runs. */
const mostBatches = 100
/** Ended connections, empty grants and unused clients stay this long. */
const kept = { days: 30 }
const unapprovedKept = { days: 1 }
const eventsKept = { days: 400 }

/** Runs each removal in batches of its own, so that none waits for the backlog of another. */
const inBatches = (...removals: ReadonlyArray<(limit: number) => Effect.Effect<number>>) =>
  Effect.forEach(
    removals,
    (remove) => Effect.repeat(remove(batch), { while: (removed) => removed === batch, times: mostBatches - 1 }),
    { discard: true }
  )

/** Removes expired authorizations and refresh tokens, ended connections and old events. Clients create many of these. */
export const removeEnded = Effect.gen(function* () {
  const authorizations = yield* AuthorizationsRepo
  const ended = yield* OAuthCleanupRepo
  const events = yield* OAuthEventsRepo
  const now = yield* DateTime.now
  yield* inBatches(
    (limit) => authorizations.removeExpired(now, limit),
    (limit) => ended.removeRefreshTokens(now, limit),
    (limit) => ended.removeConnections(DateTime.subtract(now, kept), limit),
    (limit) => events.removeBefore(DateTime.subtract(now, eventsKept), limit)
  )
})

/** Removes empty grants and unused clients. Runs less often, because it also reads many rows that are in use. */
export const removeUnused = Effect.gen(function* () {
  const clients = yield* ClientsRepo
  const ended = yield* OAuthCleanupRepo
  const now = yield* DateTime.now
  yield* inBatches(
    (limit) => ended.removeGrants(DateTime.subtract(now, kept), limit),
    (limit) => clients.removeUnused(DateTime.subtract(now, kept), limit),
    (limit) => clients.removeUnapproved(DateTime.subtract(now, unapprovedKept), limit)
  )
})

export const layer = Layer.mergeAll(
  Job.layer("OAuthCleanup", Schedule.spaced("1 minute"), removeEnded),
  Job.layer("OAuthClientCleanup", Schedule.spaced("1 hour"), removeUnused)
).pipe(Layer.provide([AuthorizationsRepo.layer, ClientsRepo.layer, OAuthCleanupRepo.layer, OAuthEventsRepo.layer]))
