import { DateTime, Schema } from "effect"
import { Model } from "effect/schema"

export const PromoCodeId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("PromoCodeId"))
export type PromoCodeId = typeof PromoCodeId.Type

export const PromoCodeKind = Schema.Literals(["percent", "fixed"])

/** The stored form of a promo code. Customers may write it in any case. */
export const Code = Schema.String.check(
  Schema.isPattern(/^[A-Z0-9-]{3,40}$/, { expected: "3 to 40 letters, digits and hyphens" })
)

/** A discount that the operator offers, with its limits. */
export class PromoCode extends Model.Class<PromoCode>("PromoCode")({
  id: Model.UuidV7Insert(PromoCodeId),
  code: Code,
  kind: PromoCodeKind,
  /** A percentage of the price, or micro-dollars off a request. */
  value: Schema.BigInt,
  valid_from: Schema.NullOr(Schema.DateTimeUtcFromDate),
  expires_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** The number of requests that may use the code; null means no limit. */
  use_limit: Schema.NullOr(Schema.Int),
  /** The number of requests of each account that may use the code. */
  account_limit: Schema.Int,
  /** The offers that the code applies to; null means all offers. */
  offer_ids: Schema.NullOr(Schema.Array(Schema.Int)),
  disabled_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}

/** True when a code expires in the future and after its start. Otherwise no customer could ever use it. */
export const canBecomeValid = (
  { expires_at, valid_from }: Pick<PromoCode, "expires_at" | "valid_from">,
  now: DateTime.Utc
) =>
  expires_at === null ||
  (DateTime.isGreaterThan(expires_at, now) && (valid_from === null || DateTime.isGreaterThan(expires_at, valid_from)))
