import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { NotificationId } from "../../notifications/Notification.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { notificationsPage } from "./NotificationsPage.ts"

const onPage = 25

const notices = new Map([
  ["read", text("notifications.marked")],
  ["read-all", text("notifications.marked_all")]
])

/** The page of the notifications. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const notifications = yield* Notifications
    const pages = yield* Pages
    const path = yield* pathOf("notifications")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const onlyUnread = visit.query.get("unread") === "true"
      const part = { limit: onPage, offset: offsetOf(visit.query) }
      const found = yield* notifications.list(visit.user.id, onlyUnread ? true : undefined, part)
      if (found.notifications.length === 0 && part.offset > 0) return redirect(path)
      return notificationsPage(visit, {
        notifications: found.notifications,
        part: { ...part, total: found.total },
        onlyUnread,
        notice: notices.get(visit.query.get("outcome") ?? "")
      })
    })

    const read = Effect.fnUntraced(function* ({ user }: Visit) {
      yield* notifications.read(user.id, yield* idInPath("notification_id", NotificationId))
      return redirect(`${path}?outcome=read`)
    })

    const readAll = Effect.fnUntraced(function* ({ user }: Visit) {
      yield* notifications.readAll(user.id)
      return redirect(`${path}?outcome=read-all`)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", `${path}/read`, pages.press(readAll))
    yield* router.add("POST", `${path}/:notification_id/read`, pages.press(read))
  })
)
