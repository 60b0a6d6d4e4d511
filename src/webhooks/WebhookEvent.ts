import { Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../accounts/User.ts"

export const WebhookEventId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WebhookEventId"))
export type WebhookEventId = typeof WebhookEventId.Type

/**
 * A change of a proxy's status (specification section 6). The database records it in the transaction that makes the
 * change (`proxy_status_event`, migration 0017); only that of a test is made here.
 */
export class WebhookEvent extends Model.Class<WebhookEvent>("WebhookEvent")({
  id: Model.UuidV7Insert(WebhookEventId),
  user_id: UserId,
  /** That of a test names no order. */
  order_id: Schema.String,
  is_test: Schema.Boolean,
  change_source: Schema.String,
  host: Schema.String,
  port: Schema.Int,
  protocol: Schema.Literals(["HTTP", "HTTPS", "SOCKS5"]),
  status: Schema.String,
  /** Null only on a test. */
  previous_status: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  occurred_at: Schema.DateTimeUtcFromDate
}) {}
