import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { Brand } from "../../brand/Brand.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { helpPage } from "./HelpPage.ts"
import * as ServiceStatus from "./ServiceStatus.ts"

/** The page of the help. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { base_url, docs_url } = yield* Addresses
    const brand = yield* Brand
    const pages = yield* Pages
    const statusFor = yield* ServiceStatus.make

    const show = Effect.fnUntraced(function* (visit: Visit) {
      return helpPage(visit, { base_url, docs_url, brand, status: yield* statusFor(visit.user.id) })
    })

    yield* router.add("GET", yield* pathOf("help"), pages.show(show))
  })
)
