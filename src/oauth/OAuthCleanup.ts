import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { AuthorizationsRepo } from "./AuthorizationsRepo.ts"
import { ClientsRepo } from "./ClientsRepo.ts"
import { OAuthCleanupRepo } from "./OAuthCleanupRepo.ts"
import { OAuthEventsRepo } from "./OAuthEventsRepo.ts"

const batch = 500
/** In one run, of each thing; a longer backlog takes several runs. */
const mostBatches = 100
/** How long what has ended stays to be looked at, and a client stays that nobody uses (specification section 5.2). */
const kept = { days: 30 }
const unapprovedKept = { days: 1 }
const eventsKept = { days: 400 }

/** Each thing by itself, so that none waits for another's backlog. */
const inBatches = (...removals: ReadonlyArray<(limit: number) => Effect.Effect<number>>) =>
  Effect.forEach(
    removals,
    (remove) => Effect.repeat(remove(batch), { while: (removed) => removed === batch, times: mostBatches - 1 }),
    { discard: true }
  )

/** Removes what expired and what ended: as much as clients make of it. */
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

/** Removes what is not used; that takes a look at much that is. */
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
