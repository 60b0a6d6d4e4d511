import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import type { User } from "../accounts/User.ts"
import { ConnectedApps } from "../oauth/ConnectedApps.ts"
import { connectedAppsPage, signOutButton } from "./ConnectedAppsPage.ts"
import { tryAgain } from "./MessagePages.ts"
import { type Phrase, text } from "./Html.ts"
import { makeAnswer, redirect } from "./PageAnswer.ts"
import { pathOf } from "./PagePaths.ts"
import * as RequestQuery from "./RequestQuery.ts"
import { signOutForm } from "./SignOutForm.ts"
import { type Visitor, Visitors } from "./Visitors.ts"

const appsOnPage = 50

type Outcome = "disconnected" | "not-connected"

/** The notices on the page after a request to disconnect an app. */
const notices: ReadonlyMap<string, Phrase> = new Map<Outcome, Phrase>([
  ["disconnected", text("connections.disconnected")],
  ["not-connected", text("connections.not_connected")]
])

const idInPath = Effect.orDie(HttpRouter.schemaPathParams(Schema.Struct({ grant_id: Schema.String })))

const purposeOf = (id: string, user: User) => `revoke:${id}:${user.id}`

/** The page on which a person sees and disconnects the connected apps. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const connectedApps = yield* ConnectedApps
    const visitors = yield* Visitors
    const path = yield* pathOf("connections")
    const emailPath = yield* pathOf("email")
    const signInPath = yield* pathOf("sign-in")
    const signOutPath = yield* pathOf("sign-out")

    const show = Effect.fnUntraced(function* (status: number, visitor: Visitor, user: User, problem?: Phrase) {
      const query = yield* RequestQuery.parameters
      const offset = /^\d{1,6}$/.test(query.get("offset") ?? "") ? Number(query.get("offset")) : 0
      const { apps, total } = yield* connectedApps.list(user.id, { limit: appsOnPage, offset })
      // The last page may be empty after the person disconnected its apps.
      if (apps.length === 0 && offset > 0) return redirect(path)
      const next = offset + appsOnPage
      return answer(
        status,
        connectedAppsPage({
          account: user.email ?? text("page.your_account"),
          emailPath,
          isUnverified: user.email !== null && !user.email_verified,
          apps: apps.map((app) => ({
            app,
            revokePath: `${path}/${app.id}/revoke`,
            form_token: visitor.formToken(purposeOf(app.id, user))
          })),
          nextPath: next < total ? `${path}?offset=${next}` : undefined,
          signOut: signOutForm(visitor, signOutPath, signOutButton),
          notice: notices.get(query.get("outcome") ?? ""),
          problem
        })
      )
    })

    yield* router.add(
      "GET",
      path,
      visitors.page((visitor) =>
        Option.match(visitor.signedIn, {
          onNone: () => Effect.succeed(redirect(signInPath)),
          onSome: ({ user }) => show(200, visitor, user)
        })
      )
    )

    yield* router.add(
      "POST",
      `${path}/:grant_id/revoke`,
      visitors.page(
        Effect.fnUntraced(function* (visitor) {
          if (Option.isNone(visitor.signedIn)) return redirect(signInPath)
          const { user } = visitor.signedIn.value
          const { grant_id } = yield* idInPath
          const { isGenuine } = yield* visitors.submission(visitor, purposeOf(grant_id, user))
          if (!isGenuine) return yield* show(403, visitor, user, tryAgain)
          const outcome = yield* Effect.match(connectedApps.revoke(user.id, grant_id), {
            onSuccess: (): Outcome => "disconnected",
            onFailure: (): Outcome => "not-connected"
          })
          return redirect(`${path}?outcome=${outcome}`)
        })
      )
    )
  })
)
