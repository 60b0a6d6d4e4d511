import { Effect, Predicate } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import type { Permission } from "../Permissions.ts"
import type { StepUpNeeded } from "../StaffErrors.ts"
import * as StepUp from "../StepUp.ts"
import { Audit } from "./Audit.ts"

interface Attempt {
  readonly actor: Actor["Service"]
  readonly permission: Permission
  readonly subject: { readonly kind: string; readonly id: string }
  /** The customer whom it is about. */
  readonly user_id?: string
}

/** True for a refusal of the person. A demand for a fresh confirmation is none. */
const isRefusal = (error: unknown) =>
  Predicate.hasProperty(error, "status") && error.status === 403 && !Predicate.isTagged(error, "StepUpNeeded")

const reasonOf = (error: unknown) => (Predicate.hasProperty(error, "detail") ? String(error.detail) : null)

/**
 * Makes the functions that run an action of staff: they check the right, run the action in one transaction, and record a
 * refusal with status 403. Services use them, because pages and commands call services without the API.
 */
export const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const audit = yield* Audit

  const guarded = <A, E, R>(
    attempt: Attempt,
    check: Effect.Effect<void, E>,
    act: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.tapError(Effect.andThen(check, atomically(act)), (error) =>
      isRefusal(error)
        ? audit.refused({ ...attempt, action: attempt.permission, reason: reasonOf(error) })
        : Effect.void
    )

  return {
    /** Runs an action that needs a permission. */
    allow: <A, E, R>(attempt: Attempt, act: Effect.Effect<A, E, R>): Effect.Effect<A, E | PermissionNeeded, R> =>
      guarded<A, E | PermissionNeeded, R>(attempt, needs(attempt.actor, attempt.permission), act),

    /** The same for an action that also needs password and code of the last 5 minutes. */
    allowFresh: <A, E, R>(
      attempt: Attempt,
      act: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | PermissionNeeded | StepUpNeeded, R> =>
      guarded<A, E | PermissionNeeded | StepUpNeeded, R>(
        attempt,
        Effect.andThen(needs(attempt.actor, attempt.permission), StepUp.needed(attempt.actor)),
        act
      )
  }
})
