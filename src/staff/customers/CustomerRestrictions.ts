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

/** Names the person in the restriction, which outlives the account of a staff member. */
const nameOf = ({ name, staff_id }: Actor["Service"]) => (staff_id === null ? name : `${name} (${staff_id})`)

const mayPlace = Effect.fnUntraced(function* (actor: Actor["Service"], { preset, until_at }: Wanted) {
  yield* needs(actor, permissionOf[preset])
  if (permissionOf[preset] === "restriction.ban") return yield* StepUp.needed(actor)
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

const make = Effect.gen(function* () {
  const actions = yield* StaffActions
  const audit = yield* Audit
  const changes = yield* CredentialChanges
  const restrictions = yield* Restrictions

  /** Records a refusal for want of a right. */
  const recorded = <E extends { readonly _tag: string }>(
    actor: Actor["Service"],
    action: Permission,
    subject: { readonly kind: string; readonly id: string },
    error: E
  ) =>
    error._tag === "PermissionNeeded" || error._tag === "StepUpNeeded"
      ? audit.refused({ actor, action, subject, reason: error._tag })
      : Effect.void

  const place = Effect.fn("CustomerRestrictions.place")(
    function* (actor: Actor["Service"], key: string, user_id: UserId, wanted: Wanted) {
      const id = RestrictionId.make(key.toLowerCase())
      const action = permissionOf[wanted.preset]
      const act = Effect.gen(function* () {
        yield* mayPlace(actor, wanted)
        const placed = yield* restrictions.place({
          id,
          user_id,
          ...wanted,
          source: "staff",
          placed_by: nameOf(actor)
        })
        const subject = { kind: "restriction", id }
        yield* audit.record({ actor, action, subject, user_id, after: shown(wanted), reason: wanted.internal_reason })
        return restrictionView(placed)
      })
      const content = { user_id, ...shown(wanted), internal_reason: wanted.internal_reason }
      const keyed = { actor, key, operation: "createRestriction", content, answer: RestrictionView }
      return yield* Effect.tap(actions.once(keyed, act), changes.caughtUp)
    },
    (effect, actor, _key, user_id, { preset }) =>
      Effect.tapError(effect, (error) =>
        recorded(actor, permissionOf[preset], { kind: "customer", id: user_id }, error)
      )
  )

  const lift = Effect.fn("CustomerRestrictions.lift")(
    function* (actor: Actor["Service"], key: string, id: RestrictionId, reason: string) {
      const act = Effect.gen(function* () {
        const lifted = yield* restrictions.lift(id, { by: nameOf(actor), reason })
        // The transaction of the action ends with a refusal, so nothing is lifted by a person who may not.
        yield* needs(actor, permissionOf[lifted.preset])
        const subject = { kind: "restriction", id }
        const { user_id } = lifted
        yield* audit.record({ actor, action: "restriction.lift", subject, user_id, before: shown(lifted), reason })
        return restrictionView(lifted)
      })
      const keyed = { actor, key, operation: "liftRestriction", content: { id, reason }, answer: RestrictionView }
      return yield* Effect.tap(actions.once(keyed, act), changes.caughtUp)
    },
    (effect, actor, _key, id) =>
      Effect.tapError(effect, (error) => recorded(actor, "restriction.lift", { kind: "restriction", id }, error))
  )

  return CustomerRestrictions.of({ place, lift })
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
    ) => Effect.Effect<Outcome, Refused | RestrictionNotFound | AlreadyLifted>
  }
>()("app/staff/CustomerRestrictions") {
  static readonly layerNoDeps = Layer.effect(this, make)

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, CredentialChanges.layer, Restrictions.layer, StaffActions.layer])
  )
}
