import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { ConnectedApps } from "../../oauth/ConnectedApps.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { connectedAppsPage } from "./ConnectedAppsPage.ts"

const appsOnPage = 50

type Outcome = "disconnected" | "limited" | "not-connected"

/** The notices on the page after a request to disconnect an app. */
const notices: ReadonlyMap<string, Phrase> = new Map<Outcome, Phrase>([
  ["disconnected", text("connections.disconnected")],
  ["limited", text("connections.limited")],
  ["not-connected", text("connections.not_connected")]
])

/** The page on which a person sees and disconnects the connected apps. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const connectedApps = yield* ConnectedApps
    const pages = yield* Pages
    const path = yield* pathOf("connections")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const part = { limit: appsOnPage, offset: offsetOf(visit.query) }
      const { apps, total } = yield* connectedApps.list(visit.user.id, part)
      // The last page may be empty after the person disconnected its apps.
      if (apps.length === 0 && part.offset > 0) return redirect(path)
      const notice = notices.get(visit.query.get("outcome") ?? "")
      return connectedAppsPage(visit, { apps, part: { ...part, total }, notice })
    })

    const revoke = Effect.fnUntraced(function* ({ user }: Visit) {
      const outcome = yield* Effect.match(connectedApps.revoke(user.id, yield* idInPath("grant_id", Schema.String)), {
        onSuccess: (): Outcome => "disconnected",
        onFailure: (): Outcome => "not-connected"
      })
      return redirect(`${path}?outcome=${outcome}`)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", `${path}/:grant_id/revoke`, pages.press(revoke))
  })
)
