import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { Announcements } from "./Announcements.ts"
import { announcementView } from "./StatusApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "status",
  Effect.fnUntraced(function* (handlers) {
    const announcements = yield* Announcements

    return handlers.handleAll({
      status: Effect.fnUntraced(function* () {
        const now = yield* DateTime.now
        const current = yield* announcements.current(null)
        const isMaintained = current.some(
          ({ kind, starts_at }) => kind === "maintenance" && DateTime.isLessThanOrEqualTo(starts_at, now)
        )
        return {
          status: isMaintained ? ("maintenance" as const) : ("ok" as const),
          announcements: current.map(announcementView)
        }
      })
    })
  })
)
