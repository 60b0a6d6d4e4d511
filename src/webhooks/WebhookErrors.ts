import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"
import { endpointsPerAccount } from "./WebhookEndpoint.ts"

export class WebhookNotFound extends ApiError<WebhookNotFound>()("WebhookNotFound", {
  status: 404,
  detail: "You have no such webhook endpoint"
}) {}

export class WebhookDeliveryNotFound extends ApiError<WebhookDeliveryNotFound>()("WebhookDeliveryNotFound", {
  status: 404,
  detail: "The endpoint has no such delivery; deliveries are kept for 30 days"
}) {}

export class WebhookAlreadyEnabled extends ApiError<WebhookAlreadyEnabled>()(
  "WebhookAlreadyEnabled",
  { status: 409, detail: "Another endpoint is enabled; disable it first" },
  { reason: Schema.tag("endpoint_already_enabled") }
) {}

export class TooManyWebhooks extends ApiError<TooManyWebhooks>()(
  "TooManyWebhooks",
  { status: 409, detail: `An account has at most ${endpointsPerAccount} webhook endpoints; delete one first` },
  { reason: Schema.tag("too_many_endpoints") }
) {}

export class WebhookDisabled extends ApiError<WebhookDisabled>()(
  "WebhookDisabled",
  { status: 409, detail: "The endpoint is disabled; enable it first" },
  { reason: Schema.tag("endpoint_disabled") }
) {}

export class DeliveryIsTest extends ApiError<DeliveryIsTest>()(
  "DeliveryIsTest",
  { status: 409, detail: "A test cannot be redelivered; send another test" },
  { reason: Schema.tag("delivery_is_test") }
) {}

export class DeliveryUnderWay extends ApiError<DeliveryUnderWay>()(
  "DeliveryUnderWay",
  { status: 409, detail: "A delivery of this event is still pending; wait until it has ended" },
  { reason: Schema.tag("delivery_pending") }
) {}
