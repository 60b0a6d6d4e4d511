import { Schema } from "effect"
import { Model } from "effect/schema"

export const PromoCodeId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("PromoCodeId"))
export type PromoCodeId = typeof PromoCodeId.Type

export const PromoCodeKind = Schema.Literals(["percent", "fixed"])

/** A promo code as it is stored; customers may write it in any case. */
export const Code = Schema.String.check(
  Schema.isPattern(/^[A-Z0-9-]{3,40}$/, { expected: "3 to 40 letters, digits and hyphens" })
)

/** What an operator gives away, and how often. */
export class PromoCode extends Model.Class<PromoCode>("PromoCode")({
  id: Model.UuidV7Insert(PromoCodeId),
  code: Code,
  kind: PromoCodeKind,
  /** Percent of the price, or micro-dollars off a request. */
  value: Schema.BigInt,
  valid_from: Schema.NullOr(Schema.DateTimeUtcFromDate),
  expires_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** How many requests may use it; null is without a limit. */
  use_limit: Schema.NullOr(Schema.Int),
  /** The same for each account. */
  account_limit: Schema.Int,
  /** The offers it is for; null is all. */
  offer_ids: Schema.NullOr(Schema.Array(Schema.Int)),
  disabled_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}
