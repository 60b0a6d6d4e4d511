import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { GivenPassword } from "../../accounts/passwords/Password.ts"
import { PasswordConfirmation } from "../../accounts/passwords/PasswordConfirmation.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import * as ExportFile from "./ExportFile.ts"
import { exportPage } from "./ExportPage.ts"
import { passwordFaults } from "./PasswordFaults.ts"

const Confirmed = Schema.Struct({ password: GivenPassword })

const messages = { password: text("account.password_missing") } as const

const again = (visit: Visit, faults: Faults) => Effect.succeed(exportPage(visit, faults))

/** The page on which a person downloads everything that the service stores about the account. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const confirmation = yield* PasswordConfirmation
    const fileOf = yield* ExportFile.make
    const limits = yield* AuthLimits
    const pages = yield* Pages
    const path = yield* pathOf("account/export")

    const download = Effect.fnUntraced(function* (visit: Visit, { password }: typeof Confirmed.Type) {
      yield* limits.session("password", visit.session_id)
      yield* confirmation.compare({ user_id: visit.user.id, password, field: "password" })
      return yield* fileOf(visit)
    })

    yield* router.add(
      "GET",
      path,
      pages.show((visit) => Effect.succeed(exportPage(visit)))
    )
    yield* router.add(
      "POST",
      path,
      pages.take({ fields: Confirmed, messages, again, act: download, told: passwordFaults("password") })
    )
  })
)
