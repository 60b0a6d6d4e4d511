import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Preset } from "../../src/accounts/restrictions/Restriction.ts"
import { RestrictionId } from "../../src/accounts/restrictions/Restriction.ts"
import { type NewRestriction, Restrictions } from "../../src/accounts/restrictions/Restrictions.ts"
import { UserId } from "../../src/accounts/User.ts"

export const publicReason = "Your last payment is disputed."

/** A restriction that a person of the operator places. */
export const wanted = (user: string, preset: Preset, fields: Partial<NewRestriction> = {}): NewRestriction => ({
  id: RestrictionId.make(randomUUID()),
  user_id: UserId.make(user),
  preset,
  reason_code: "fraud",
  internal_reason: "Card testing",
  public_reason: publicReason,
  until_at: null,
  source: "staff",
  placed_by: "ada",
  ...fields
})

export const restrict = (user: string, preset: Preset, fields: Partial<NewRestriction> = {}) =>
  Restrictions.use(({ place }) => place(wanted(user, preset, fields)))

export const lift = (id: RestrictionId) =>
  Restrictions.use((restrictions) => Effect.orDie(restrictions.lift(id, { by: "ada", reason: "Settled" })))
