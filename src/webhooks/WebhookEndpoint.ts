import { Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../accounts/User.ts"

export const WebhookEndpointId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WebhookEndpointId"))
export type WebhookEndpointId = typeof WebhookEndpointId.Type

export const eventType = "proxy.status_changed"

export const endpointsPerAccount = 20

/** The time for which a rotation leaves the old secret valid. */
export const overlap = { defaultSeconds: 86_400, mostSeconds: 604_800 } as const

const optionalTime = (description: string) =>
  Model.Field({
    select: Schema.NullOr(Schema.DateTimeUtcFromDate),
    insert: Schema.NullOr(Schema.DateTimeUtcFromDate),
    json: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({ description })
  })

/** Where an account wants its events sent (specification section 2.10). */
export class WebhookEndpoint extends Model.Class<WebhookEndpoint>("WebhookEndpoint")({
  id: Model.UuidV7Insert(WebhookEndpointId),
  user_id: UserId,
  event_type: Schema.Literal(eventType),
  url: Schema.String.annotate({ examples: ["https://example.com/hooks/proxies"] }),
  enabled: Schema.Boolean.annotate({
    description: "Whether events are sent to it; one endpoint of an account is enabled at a time",
    examples: [true]
  }),
  signing_secret: Model.Sensitive(Schema.String),
  secret_preview: Schema.String.annotate({
    description: "First 12 and last 6 characters of the signing secret",
    examples: ["whsec_3f9a1c...b7e204"]
  }),
  /** Signs beside it until its end. */
  previous_secret: Model.Sensitive(Schema.NullOr(Schema.String)),
  previous_secret_ends_at: optionalTime(
    "The end of the time in which the signing secret before this one is valid too, and deliveries are signed with both; " +
      "null or past: only this one is valid"
  ),
  last_test_at: optionalTime("When a test was last sent"),
  last_delivery_at: optionalTime("When an event was last delivered"),
  failing_since: optionalTime(
    "Since when every delivery attempt has failed; null: none has since the last that arrived, or since the endpoint " +
      "was enabled or its URL changed. After five days the endpoint is disabled"
  ),
  /** When the owner was told that it will be disabled. */
  failure_warned_at: Model.Sensitive(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}
