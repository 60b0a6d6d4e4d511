import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as ServiceStatus from "./ServiceStatus.ts"
import { statusPage } from "./StatusPage.ts"

/** The page of the service's state. It needs no account. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const statusFor = yield* ServiceStatus.make
    const show = Effect.flatMap(statusFor(null), (status) => answer(200, statusPage(status)))
    yield* router.add("GET", yield* pathOf("status"), show)
  })
)
