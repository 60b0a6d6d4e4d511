import { Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../accounts/User.ts"

export const WebhookEventId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WebhookEventId"))
export type WebhookEventId = typeof WebhookEventId.Type

/**
 * A change of a proxy's status (docs/contract.md, "Webhooks"). The database records the event in the transaction of the
 * change (`proxy_status_event`, migration 0017). The service itself makes only the events of tests.
 */
export class WebhookEvent extends Model.Class<WebhookEvent>("WebhookEvent")({
  id: Model.UuidV7Insert(WebhookEventId),
  user_id: UserId,
  /** The id in a test belongs to no order. */
  order_id: Schema.String,
  is_test: Schema.Boolean,
  change_source: Schema.String,
  host: Schema.String,
  port: Schema.Int,
  protocol: Schema.Literals(["HTTP", "HTTPS", "SOCKS5"]),
  status: Schema.String,
  /** Null only in a test. */
  previous_status: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  occurred_at: Schema.DateTimeUtcFromDate
}) {}
