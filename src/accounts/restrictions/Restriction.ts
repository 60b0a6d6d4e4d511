import { Schema } from "effect"
import { UserId } from "../User.ts"

export const RestrictionId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("RestrictionId"))
export type RestrictionId = typeof RestrictionId.Type

/**
 * `hold` stops purchases. `suspend` stops the proxies too. `ban` also shuts the person out. `lock` shuts everybody out of an
 * account that a stranger has taken over: its proxies get other logins.
 */
export const Preset = Schema.Literals(["hold", "suspend", "ban", "lock"])
export type Preset = typeof Preset.Type

export const ReasonCode = Schema.Literals([
  "fraud",
  "dispute",
  "abuse",
  "debt",
  "legal",
  "request",
  "takeover",
  "other"
])

export const Source = Schema.Literals(["staff", "rule", "dispute"])

/** The parts of an account that a preset blocks; the database checks the same table. */
export const blockedBy = {
  hold: { blocks_access: false, blocks_spending: true, blocks_service: false },
  suspend: { blocks_access: false, blocks_spending: true, blocks_service: true },
  ban: { blocks_access: true, blocks_spending: true, blocks_service: true },
  lock: { blocks_access: true, blocks_spending: true, blocks_service: false }
} as const satisfies Record<Preset, object>

/** A restriction of an account. Only its lifting changes it. */
export const Restriction = Schema.Struct({
  id: RestrictionId,
  user_id: UserId,
  preset: Preset,
  reason_code: ReasonCode,
  /** For staff only. */
  internal_reason: Schema.String,
  /** For the customer. */
  public_reason: Schema.String,
  /** A job lifts the restriction then; null: no end. */
  until_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  source: Source,
  placed_by: Schema.String,
  placed_at: Schema.DateTimeUtcFromDate,
  lifted_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  lifted_by: Schema.NullOr(Schema.String),
  lift_reason: Schema.NullOr(Schema.String)
})
export type Restriction = typeof Restriction.Type
