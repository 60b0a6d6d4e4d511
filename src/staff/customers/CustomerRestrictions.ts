import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { UserNotFound } from "../../accounts/AccountErrors.ts"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { type Preset, type Restriction, RestrictionId } from "../../accounts/restrictions/Restriction.ts"
import type {
  AlreadyLifted,
  RestrictionIdReused,
  RestrictionNotFound
} from "../../accounts/restrictions/RestrictionErrors.ts"
import { Restrictions } from "../../accounts/restrictions/Restrictions.ts"
import type { UserId } from "../../accounts/User.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { type Actor, may, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import type { Permission } from "../Permissions.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import * as StepUp from "../StepUp.ts"
import { RestrictionView, restrictionView, timeOrNull } from "./CustomerView.ts"

/** The choice of the person who places a restriction. */
export type Wanted = Pick<Restriction, "preset" | "reason_code" | "internal_reason" | "public_reason" | "until_at">

type View = typeof RestrictionView.Type

interface Outcome {
  readonly answer: View
  readonly replayed: boolean
}

type Refused = PermissionNeeded | ActionKeyReused

const permissionOf: Record<Preset, Permission> = {
  hold: "restriction.hold",
  suspend: "restriction.suspend",
  ban: "restriction.ban",
  lock: "restriction.ban"
}

/** Who may not ban suspends for at most this time. */
const suspensionAtMost = Duration.days(7)

/** True for a suspension that only those may lift who could place it. */
const isLong = ({ placed_at, preset, until_at }: Restriction) =>
  preset === "suspend" &&
  (until_at === null || DateTime.isGreaterThan(until_at, DateTime.addDuration(placed_at, suspensionAtMost)))

const needsConfirmation = (preset: Preset) => preset === "ban" || preset === "lock"

/** Names the person in the restriction, which outlives the account of a staff member. */
const nameOf = ({ name, staff_id }: Actor["Service"]) => (staff_id === null ? name : `${name} (${staff_id})`)

/** Refuses a longer suspension than the person may place. */
const withinTime = Effect.fnUntraced(function* (actor: Actor["Service"], { preset, until_at }: Wanted) {
  if (preset !== "suspend" || may(actor, "restriction.ban")) return
  const latest = DateTime.addDuration(yield* DateTime.now, suspensionAtMost)
  if (until_at === null || DateTime.isGreaterThan(until_at, latest))
    return yield* RequestInvalid.at(["body", "until_at"], "Must be within 7 days: only an owner suspends for longer")
})

const shown = ({ preset, public_reason, reason_code, until_at }: Wanted) => ({
  preset,
  public_reason,
  reason_code,
  until_at: timeOrNull(until_at)
})

const makePlace = Effect.gen(function* () {
  const actions = yield* StaffActions
  const audit = yield* Audit
  const changes = yield* CredentialChanges
  const guard = yield* Guard.make
  const restrictions = yield* Restrictions

  return Effect.fn("CustomerRestrictions.place")(function* (
    actor: Actor["Service"],
    key: string,
    user_id: UserId,
    wanted: Wanted
  ) {
    const id = RestrictionId.make(key.toLowerCase())
    const permission = permissionOf[wanted.preset]
    const act = Effect.gen(function* () {
      yield* withinTime(actor, wanted)
      const chosen = { id, user_id, ...wanted, source: "staff" as const, placed_by: nameOf(actor) }
      const placed = yield* restrictions.place(chosen)
      const [subject, reason] = [{ kind: "restriction", id }, wanted.internal_reason]
      yield* audit.record({ actor, action: permission, subject, user_id, after: shown(wanted), reason })
      return restrictionView(placed)
    })
    const content = { user_id, ...shown(wanted), internal_reason: wanted.internal_reason }
    const keyed = actions.once({ actor, key, operation: "createRestriction", content, answer: RestrictionView }, act)
    const attempt = { actor, permission, subject: { kind: "customer", id: user_id }, user_id }
    const allow = permission === "restriction.ban" ? guard.allowFresh : guard.allow
    return yield* Effect.tap(allow(attempt, keyed), changes.caughtUp)
  })
})

const makeLift = Effect.gen(function* () {
  const actions = yield* StaffActions
  const audit = yield* Audit
  const changes = yield* CredentialChanges
  const guard = yield* Guard.make
  const restrictions = yield* Restrictions

  return Effect.fn("CustomerRestrictions.lift")(function* (
    actor: Actor["Service"],
    key: string,
    id: RestrictionId,
    reason: string
  ) {
    const [permission, subject] = ["restriction.lift" as const, { kind: "restriction", id }]
    const act = Effect.gen(function* () {
      const lifted = yield* restrictions.lift(id, { by: nameOf(actor), reason })
      // A refusal undoes the lifting.
      yield* needs(actor, isLong(lifted) ? "restriction.ban" : permissionOf[lifted.preset])
      if (needsConfirmation(lifted.preset)) yield* StepUp.needed(actor)
      yield* audit.record({
        actor,
        action: permission,
        subject,
        user_id: lifted.user_id,
        before: shown(lifted),
        reason
      })
      return restrictionView(lifted)
    })
    const content = { id, reason }
    const keyed = actions.once({ actor, key, operation: "liftRestriction", content, answer: RestrictionView }, act)
    return yield* Effect.tap(guard.allow({ actor, permission, subject }, keyed), changes.caughtUp)
  })
})

/** Places and lifts restrictions for staff: who may, the key, and the audit log. Both are in force when the call ends. */
export class CustomerRestrictions extends Context.Service<
  CustomerRestrictions,
  {
    /** The key becomes the id of the restriction. */
    readonly place: (
      actor: Actor["Service"],
      key: string,
      user_id: UserId,
      wanted: Wanted
    ) => Effect.Effect<Outcome, Refused | StepUpNeeded | UserNotFound | RestrictionIdReused | RequestInvalid>
    /** Needs the right to place such a restriction as well. */
    readonly lift: (
      actor: Actor["Service"],
      key: string,
      id: RestrictionId,
      reason: string
    ) => Effect.Effect<Outcome, Refused | StepUpNeeded | RestrictionNotFound | AlreadyLifted>
  }
>()("app/staff/CustomerRestrictions") {
  static readonly layerNoDeps = Layer.effect(
    CustomerRestrictions,
    Effect.gen(function* () {
      return CustomerRestrictions.of({ place: yield* makePlace, lift: yield* makeLift })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, CredentialChanges.layer, Restrictions.layer, StaffActions.layer])
  )
}
