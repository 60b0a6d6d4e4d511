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
    description: "The order that it is about; null when it is about none"
  }),
  message: Schema.String.annotate({ examples: ["Your proxy expires on 2026-02-01."] }),
  created_at: timestamp,
  read_at: Schema.NullOr(timestamp).annotate({ description: "Null while unread" })
}).annotate({ identifier: "Notification" })

export const notificationView = ({ user_id: _owner, ...rest }: Notification): typeof NotificationView.Type => rest

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** What the service tells a signed-in person (specification section 5.1: no API keys). */
export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...Page.query(100, 50),
        unread: Schema.optionalKey(Schema.Boolean).annotateKey({
          description: "`true`: the unread ones only; `false`: the read ones only; all when absent"
        })
      },
      success: Schema.Struct({
        notifications: Schema.Array(NotificationView),
        total: Schema.Int.annotate({ description: "All that match", examples: [1] }),
        limit: Schema.Int.annotate({ examples: [50] }),
        offset: Schema.Int.annotate({ examples: [0] }),
        unread: Schema.Int.annotate({ description: "All that you have not read", examples: [1] })
      }).annotate({ identifier: "NotificationList" })
    }).annotateMerge(
      described(
        "List notifications",
        "What happened to your proxies and your money, newest first. Read ones are kept for 90 days, unread ones for a year."
      )
    ),

    HttpApiEndpoint.post("read", "/:notification_id/read", {
      params: { notification_id: NotificationId },
      success: NotificationView,
      error: [NotificationNotFound, NotificationNotYours]
    }).annotateMerge(
      described(
        "Mark a notification as read",
        "Answers the notification. Reading it again changes nothing. `403` means that it is another account's."
      )
    )
  )
  .prefix("/notifications")
  .middleware(SessionAuthentication)
  .annotateMerge(OpenApi.annotations({ title: "Notifications", description: "What the service tells you" })) {}
