import { DateTime, Effect, Layer, Schedule } from "effect"
import { AnonymousAccounts } from "../accounts/sign-in/AnonymousAccounts.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import * as Job from "../platform/Job.ts"
import { claimable } from "./AgentRegistration.ts"
import { AgentRegistrationsRepo } from "./AgentRegistrationsRepo.ts"

const batch = 100

/** Erases agents' accounts that no person claimed within 30 days and that have no order and no money. */
export const run = Effect.gen(function* () {
  const accounts = yield* AnonymousAccounts
  const atomically = yield* Atomically
  const repo = yield* AgentRegistrationsRepo
  const before = DateTime.subtract(yield* DateTime.now, claimable)
  const removeBatch = Effect.tap(accounts.removeAbandoned(before, batch), (user_ids) => repo.removeOf(user_ids))
  yield* Effect.repeat(atomically(removeBatch), { while: (removed) => removed.length === batch })
})

export const layer = Job.layer("AgentCleanup", Schedule.spaced("1 hour"), run).pipe(
  Layer.provide([AnonymousAccounts.layer, AgentRegistrationsRepo.layer])
)
