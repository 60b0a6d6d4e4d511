import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { AccountExport } from "../../account-export/AccountExport.ts"
import { exportAnswer } from "../../account-export/ExportAnswer.ts"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { PasswordConfirmation } from "../../accounts/passwords/PasswordConfirmation.ts"
import type { Faults } from "../../pages/Field.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import * as PasswordForm from "../desk/PasswordForm.ts"
import type { Visit } from "../desk/Visit.ts"
import { exportPage } from "./ExportPage.ts"

const again = (visit: Visit, faults: Faults) => Effect.succeed(exportPage(visit, faults))

/** The page on which a person downloads everything that the service stores about the account. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const confirmation = yield* PasswordConfirmation
    const exports = yield* AccountExport
    const limits = yield* AuthLimits
    const pages = yield* Pages
    const path = yield* pathOf("account/export")

    const download = Effect.fnUntraced(function* (visit: Visit, { password }: PasswordForm.Fields) {
      yield* limits.session("password", visit.session_id)
      yield* confirmation.compare({ user_id: visit.user.id, password, field: "password" })
      return exportAnswer(yield* exports.write(visit.user.id, visit.session_id))
    })

    yield* router.add(
      "GET",
      path,
      pages.show((visit) => Effect.succeed(exportPage(visit)))
    )
    yield* router.add("POST", path, pages.take({ ...PasswordForm, again, act: download }))
  })
)
