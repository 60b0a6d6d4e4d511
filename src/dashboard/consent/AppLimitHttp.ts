import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { GrantId } from "../../oauth/ConnectedApp.ts"
import { ConnectedAppNotFound } from "../../oauth/ConnectedAppErrors.ts"
import { ConnectedApps } from "../../oauth/ConnectedApps.ts"
import type { Faults } from "../../pages/Field.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { appLimitPage } from "./AppLimitPage.ts"
import { asTyped, LimitForm, limitMessages } from "./LimitField.ts"

const idOfApp = idInPath("grant_id", GrantId)

/** The page on which a person changes the daily limit of a connected app. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const connectedApps = yield* ConnectedApps
    const pages = yield* Pages
    const connections = yield* pathOf("connections")
    const path = `${connections}/:grant_id/limit` as const

    const find = Effect.fnUntraced(function* ({ user }: Visit) {
      return yield* connectedApps.find(user.id, yield* idOfApp)
    })

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const app = yield* find(visit)
      return appLimitPage(visit, { app, typed: asTyped(app.daily_spend_limit_usd) })
    })

    const again = Effect.fnUntraced(function* (visit: Visit, faults: Faults, typed: Submission) {
      return appLimitPage(visit, { app: yield* find(visit), faults, typed: typed.field("daily_spend_limit_usd") })
    })

    const change = Effect.fnUntraced(
      function* ({ user }: Visit, { daily_spend_limit_usd }: typeof LimitForm.Type) {
        yield* connectedApps.setLimit(user.id, yield* idOfApp, daily_spend_limit_usd ?? null)
        return redirect(`${connections}?outcome=limited`)
      },
      Effect.catchTag("ConnectedAppOfAnotherUser", () => Effect.fail(new ConnectedAppNotFound()))
    )

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: LimitForm, messages: limitMessages, again, act: change }))
  })
)
