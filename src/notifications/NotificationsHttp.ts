import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { Notifications } from "./Notifications.ts"
import { notificationView } from "./NotificationsApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "notifications",
  Effect.fnUntraced(function* (handlers) {
    const notifications = yield* Notifications

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { limit, offset, unread } = query
        const { user_id } = yield* Caller
        const found = yield* notifications.list(user_id, unread, { limit, offset })
        return { ...found, notifications: found.notifications.map(notificationView), limit, offset }
      }),
      read: Effect.fnUntraced(function* ({ params }) {
        const { user_id } = yield* Caller
        return notificationView(yield* notifications.read(user_id, params.notification_id))
      })
    })
  })
)
