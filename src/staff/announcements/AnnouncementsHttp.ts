import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { AnnouncementDesk } from "./AnnouncementDesk.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminAnnouncements",
  Effect.fnUntraced(function* (handlers) {
    const announcements = yield* AnnouncementDesk
    return handlers.handleAll({
      listAnnouncements: ({ query }) => Effect.flatMap(Actor, (actor) => announcements.list(actor, query)),
      getAnnouncement: ({ params }) =>
        Effect.flatMap(Actor, (actor) => announcements.find(actor, params.announcement_id)),
      previewAnnouncement: Effect.fnUntraced(function* ({ payload }) {
        return { recipients: yield* announcements.preview(yield* Actor, payload) }
      }),
      publishAnnouncement: Effect.fnUntraced(function* ({ headers, payload }) {
        return StaffActionApi.answer(yield* announcements.publish(yield* Actor, headers["idempotency-key"], payload))
      }),
      endAnnouncement: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(
          yield* announcements.end(yield* Actor, key, params.announcement_id, payload.reason)
        )
      })
    })
  })
)
