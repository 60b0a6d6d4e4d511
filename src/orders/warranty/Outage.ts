import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"
import { OrderId } from "../Order.ts"

export const OutageId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("OutageId"))
export type OutageId = typeof OutageId.Type

/** A time in which a proxy did not work: from the first failure in a row. Null: it lasts. */
export const Outage = Schema.Struct({
  id: OutageId,
  order_id: OrderId,
  from_at: Schema.DateTimeUtcFromDate,
  to_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** `untried`: nobody has tried the proxy since `to_at`. */
  ended_by: Schema.NullOr(Schema.Literals(["works", "replaced", "ended", "untried"])),
  error: Schema.String
})
export type Outage = typeof Outage.Type

/** An outage that is over, with its order and the payment for the time in which it began; null: nobody paid for it. */
export const EndedOutage = Schema.Struct({
  id: OutageId,
  order_id: OrderId,
  user_id: UserId,
  is_deleted: Schema.Boolean,
  from_at: Schema.DateTimeUtcFromDate,
  to_at: Schema.DateTimeUtcFromDate,
  payment_id: Schema.NullOr(Schema.String),
  currency: Schema.NullOr(Currency),
  paid: Schema.NullOr(Schema.BigInt),
  sandbox: Schema.NullOr(Schema.BigInt),
  starts_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  ends_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** When the time ended before `ends_at`, as by a release or a refund. */
  ended_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type EndedOutage = typeof EndedOutage.Type
