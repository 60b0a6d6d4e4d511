import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SessionAuthentication } from "../accounts/Authentication.ts"
import * as Page from "../platform/fields/Page.ts"
import { type Notification, NotificationId, NotificationKind } from "./Notification.ts"
import { NotificationNotFound, NotificationNotYours } from "./NotificationErrors.ts"

const timestamp = Schema.DateTimeUtcFromString

const NotificationView = Schema.Struct({
  id: NotificationId,
  kind: NotificationKind,
  order_id: Schema.NullOr(Schema.String.check(Schema.isUUID())).annotate({
    description: "The order that the notification concerns; null when it concerns no order"
  }),
  payment_intent_id: Schema.NullOr(Schema.String.check(Schema.isUUID())).annotate({
    description: "The payment that the notification concerns, or null"
  }),
  endpoint_id: Schema.NullOr(Schema.String.check(Schema.isUUID())).annotate({
    description: "The webhook endpoint that the notification concerns, or null"
  }),
  message: Schema.String.annotate({
    description: "The text, in the language that the account had at the time",
    examples: ["Your proxy (Mobile, Germany) expires on 1 Feb 2026, 10:00 UTC. Extend it to keep it."]
  }),
  created_at: timestamp,
  read_at: Schema.NullOr(timestamp).annotate({ description: "Null while the notification is unread" })
}).annotate({ identifier: "Notification" })

export const notificationView = ({ user_id: _owner, ...rest }: Notification): typeof NotificationView.Type => rest

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** Messages to the account of a signed-in person. API keys are refused (docs/contract.md, "API keys and scopes"). */
export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...Page.query(100, 50),
        unread: Schema.optionalKey(Schema.Boolean).annotateKey({
          description:
            "`true` lists unread notifications only, `false` lists read ones only; without it, all are listed"
        })
      },
      success: Schema.Struct({
        notifications: Schema.Array(NotificationView),
        total: Schema.Int.annotate({ description: "The number of notifications that match", examples: [1] }),
        limit: Schema.Int.annotate({ examples: [50] }),
        offset: Schema.Int.annotate({ examples: [0] }),
        unread: Schema.Int.annotate({ description: "The number of all your unread notifications", examples: [1] })
      }).annotate({ identifier: "NotificationList" })
    }).annotateMerge(
      described(
        "List notifications",
        "Lists messages about your proxies and your money, newest first. Read notifications are kept for 90 days, unread ones for a year."
      )
    ),

    HttpApiEndpoint.post("read", "/:notification_id/read", {
      params: { notification_id: NotificationId },
      success: NotificationView,
      error: [NotificationNotFound, NotificationNotYours]
    }).annotateMerge(
      described(
        "Mark a notification as read",
        "Returns the notification. A repeated call changes nothing. `403` means that the notification belongs to another account."
      )
    )
  )
  .prefix("/notifications")
  .middleware(SessionAuthentication)
  .annotateMerge(OpenApi.annotations({ title: "Notifications", description: "Messages from the service to you" })) {}
