import { Schema } from "effect"
import { Currency } from "../../platform/Money.ts"
import { Actor } from "../ActedBy.ts"

/** A free change of a proxy that its owner can make. */
export const ChangeKind = Schema.Literals([
  "whitelist",
  "credentials",
  "protocol",
  "rotated",
  "signature",
  "destinations",
  "released",
  "auto_renew_on",
  "auto_renew_off"
])
export type ChangeKind = typeof ChangeKind.Type

/** The reason why auto-renew did not renew a proxy. */
export const RenewalReason = Schema.Literals([
  "balance",
  "stopped",
  "not_sold",
  "not_now",
  "not_shown",
  "provider_refused",
  "provider_down"
])
export type RenewalReason = typeof RenewalReason.Type

/** The kinds of entries in the history of an order. */
export const EventKind = Schema.Literals([
  ...ChangeKind.literals,
  "ordered",
  "paid",
  "delivered",
  "not_delivered",
  "extended",
  "renewed",
  "renewal_failed",
  "traffic",
  "change_failed",
  "time_given",
  "replaced",
  "refunded",
  "ended",
  "cancelled"
])

/** An entry of the history of an order. */
export const OrderEvent = Schema.Struct({
  kind: EventKind,
  occurred_at: Schema.DateTimeUtcFromDate,
  /** `owner` is a credential of the owner that is not on record. */
  actor: Schema.Literals([...Actor.literals, "owner"]),
  actor_id: Schema.NullOr(Schema.String),
  /** The name of the API key or of the app; null for all others, and after it was removed. */
  actor_name: Schema.NullOr(Schema.String),
  /** Calendar months of an extension. */
  months: Schema.NullOr(Schema.Int),
  /** Bought traffic in GB (10^9 bytes). */
  added_gb: Schema.NullOr(Schema.Finite),
  /** The price or the returned money, in units of `currency`. */
  total: Schema.NullOr(Schema.BigInt),
  currency: Schema.NullOr(Currency),
  reason: Schema.NullOr(RenewalReason)
})
export type OrderEvent = typeof OrderEvent.Type
