import { Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../accounts/User.ts"

export const NotificationId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("NotificationId"))
export type NotificationId = typeof NotificationId.Type

export const NotificationKind = Schema.Literals([
  "proxy_expiring",
  "proxy_renewed",
  "renewal_failed",
  "renewal_price",
  "deposit_credited",
  "auto_top_up_made",
  "auto_top_up_failed",
  "auto_top_up_stopped",
  "auto_top_up_limit",
  "provisioning_failed",
  "change_failed",
  "proxy_reduced",
  "proxy_replaced",
  "proxy_ended",
  "webhook_failing",
  "webhook_disabled",
  "payment_reversed",
  "payment_returned",
  "payout"
])

/** A message to an account, and the order, the payment or the webhook endpoint that it concerns, if it concerns one. */
export class Notification extends Model.Class<Notification>("Notification")({
  id: Model.UuidV7Insert(NotificationId),
  user_id: UserId,
  kind: NotificationKind,
  order_id: Schema.NullOr(Schema.String),
  payment_intent_id: Schema.NullOr(Schema.String),
  endpoint_id: Schema.NullOr(Schema.String),
  message: Schema.String,
  created_at: Model.DateTimeInsertFromDate,
  read_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate))
}) {}
