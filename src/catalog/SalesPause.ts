import { Schema } from "effect"

export const SalesPauseId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("SalesPauseId"))
export type SalesPauseId = typeof SalesPauseId.Type

/** From the widest to the narrowest: everything, a provider, a kind, an article of the gateway, an offer; a payment method. */
export const PauseScope = Schema.Literals(["all", "provider", "kind", "article", "offer", "method"])
export type PauseScope = typeof PauseScope.Type

/** The longest time of a pause, with all its extensions, in days. */
export const pausedAtMost = 366

/** A time in which the operator does not sell something. While it stands, its end may move to a later time. */
export const SalesPause = Schema.Struct({
  id: SalesPauseId,
  scope: PauseScope,
  /** The provider's name, the kind, the id of the article or of the offer, or the payment method. Null for `all`. */
  scope_id: Schema.NullOr(Schema.String),
  /** For staff only. */
  reason: Schema.String,
  placed_by: Schema.String,
  placed_at: Schema.DateTimeUtcFromDate,
  /** A job lifts the pause then. */
  until_at: Schema.DateTimeUtcFromDate,
  lifted_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  lifted_by: Schema.NullOr(Schema.String),
  lift_reason: Schema.NullOr(Schema.String)
})
export type SalesPause = typeof SalesPause.Type
