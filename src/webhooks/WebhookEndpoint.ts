import { Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../accounts/User.ts"

export const WebhookEndpointId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WebhookEndpointId"))
export type WebhookEndpointId = typeof WebhookEndpointId.Type

export const eventType = "proxy.status_changed"

export const endpointsPerAccount = 20

/** Time that a rotation keeps the old secret valid, in seconds. */
export const overlap = { defaultSeconds: 86_400, mostSeconds: 604_800 } as const

const optionalTime = (description: string) =>
  Model.Field({
    select: Schema.NullOr(Schema.DateTimeUtcFromDate),
    insert: Schema.NullOr(Schema.DateTimeUtcFromDate),
    json: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({ description })
  })

/** The URL that receives the events of an account (docs/contract.md, "Webhooks"). */
export class WebhookEndpoint extends Model.Class<WebhookEndpoint>("WebhookEndpoint")({
  id: Model.UuidV7Insert(WebhookEndpointId),
  user_id: UserId,
  event_type: Schema.Literal(eventType),
  url: Schema.String.annotate({ examples: ["https://example.com/hooks/proxies"] }),
  enabled: Schema.Boolean.annotate({
    description: "True when the endpoint receives events. An account has at most one enabled endpoint",
    examples: [true]
  }),
  signing_secret: Model.Sensitive(Schema.String),
  secret_preview: Schema.String.annotate({
    description: "First 12 and last 6 characters of the signing secret",
    examples: ["whsec_3f9a1c...b7e204"]
  }),
  /** Signs beside `signing_secret` until `previous_secret_ends_at`. */
  previous_secret: Model.Sensitive(Schema.NullOr(Schema.String)),
  previous_secret_ends_at: optionalTime(
    "Until this time the old signing secret is valid too, and deliveries carry signatures with both. " +
      "When null or past, only the current secret is valid"
  ),
  last_test_at: optionalTime("Time of the last test"),
  last_delivery_at: optionalTime("Time of the last delivered event"),
  failing_since: optionalTime(
    "Time of the first failure since the last delivered event, or since the endpoint was enabled or its URL changed. " +
      "Null without a failure. After five days of failures the service disables the endpoint"
  ),
  /** Time of the warning to the owner. */
  failure_warned_at: Model.Sensitive(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}
