import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { SessionId } from "../../accounts/Session.ts"
import { OwnSessions } from "../../accounts/sessions/OwnSessions.ts"
import { Sessions } from "../../accounts/sessions/Sessions.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { sessionsPage } from "./SessionsPage.ts"

const sessionsOnPage = 25

/** The notices on the page after a request. */
const notices: ReadonlyMap<string, Phrase> = new Map([
  ["ended", text("account_sessions.ended")],
  ["others-ended", text("account_sessions.others_ended")]
])

/** The page on which a person sees where the account is signed in, and ends sessions. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* CredentialChanges
    const own = yield* OwnSessions
    const pages = yield* Pages
    const sessions = yield* Sessions
    const signInPath = yield* pathOf("sign-in")
    const path = yield* pathOf("account/sessions")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const part = { limit: sessionsOnPage, offset: offsetOf(visit.query) }
      const listed = yield* own.list(visit.user.id, part)
      // The last page may be empty after its sessions have ended.
      if (listed.sessions.length === 0 && part.offset > 0) return redirect(path)
      const notice = notices.get(visit.query.get("outcome") ?? "")
      return sessionsPage(visit, { sessions: listed.sessions, part: { ...part, total: listed.total }, notice })
    })

    const end = Effect.fnUntraced(function* ({ user }: Visit) {
      yield* own.end(user.id, yield* idInPath("session_id", SessionId))
      yield* changes.caughtUp
      return redirect(`${path}?outcome=ended`)
    })

    const endOthers = Effect.fnUntraced(function* ({ session_id, user }: Visit) {
      yield* own.endOthers(user.id, session_id)
      yield* changes.caughtUp
      return redirect(`${path}?outcome=others-ended`)
    })

    const endAll = Effect.fnUntraced(function* ({ user }: Visit) {
      yield* sessions.endAll(user.id)
      yield* changes.caughtUp
      return redirect(signInPath)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", `${path}/end-all`, pages.press(endAll))
    yield* router.add("POST", `${path}/end-others`, pages.press(endOthers))
    yield* router.add("POST", `${path}/:session_id/end`, pages.press(end))
  })
)
