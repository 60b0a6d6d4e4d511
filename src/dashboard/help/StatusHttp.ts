import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { Announcements } from "../../announcements/Announcements.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as ServiceStatus from "./ServiceStatus.ts"
import { statusPage } from "./StatusPage.ts"

/** The page of the service's state. It needs no account. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const statusFor = yield* ServiceStatus.make
    const announcements = yield* Announcements
    const show = Effect.gen(function* () {
      return yield* answer(200, statusPage(yield* statusFor(null), yield* announcements.current(null)))
    })
    yield* router.add("GET", yield* pathOf("status"), show)
  })
)
