import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { text } from "../../pages/Html.ts"
import { PauseDesk } from "../../staff/providers/PauseDesk.ts"
import { ProviderDesk } from "../../staff/providers/ProviderDesk.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { providersPage, stockPage } from "./ProvidersPage.ts"

const perPage = 100

const told = { paused: text("pause.placed"), resumed: text("pause.lifted") }

const noticeOf = ({ query }: AdminVisit) => {
  const done = query.get("done")
  return done === "paused" || done === "resumed" ? { notice: told[done] } : {}
}

const afterOf = ({ query }: AdminVisit) => {
  const after = query.get("after") ?? ""
  return /^\d{1,9}$/.test(after) ? Number(after) : undefined
}

/** The pages of the providers and of their stock. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const pauses = yield* PauseDesk
    const providers = yield* ProviderDesk
    const { pathTo, show } = yield* AdminPages

    yield* router.add(
      "GET",
      pathTo("providers"),
      show(
        Effect.fnUntraced(function* (visit) {
          const { actor } = visit
          const shown = { providers: yield* providers.list(actor), pauses: yield* pauses.open(actor) }
          return providersPage(visit, { ...shown, ...noticeOf(visit) })
        })
      )
    )
    yield* router.add(
      "GET",
      pathTo("providers/:provider"),
      show(
        Effect.fnUntraced(function* (visit) {
          const { provider: name = "" } = yield* HttpRouter.params
          const page = { limit: perPage, after: afterOf(visit) }
          return stockPage(visit, name, yield* providers.offers(visit.actor, name, page))
        })
      )
    )
  })
)
