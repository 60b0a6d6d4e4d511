import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { exportAnswer } from "../../orders/exports/ExportAnswer.ts"
import { exportedAtMost, OrderExports } from "../../orders/exports/OrderExports.ts"
import { Orders } from "../../orders/Orders.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { readExport } from "./ExportChoice.ts"
import { filterIn, queryOf } from "./ListFilter.ts"
import { proxiesPage } from "./ProxiesPage.ts"

const onPage = 50

/** The list of the proxies, and its export. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const exports = yield* OrderExports
    const orders = yield* Orders
    const pages = yield* Pages
    const path = yield* pathOf("proxies")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const owner = visit.user.id
      const filter = filterIn(visit.query)
      const part = { limit: onPage, offset: offsetOf(visit.query) }
      const found = yield* orders.list(owner, { proxy_status: "not_cancelled", ...filter }, part)
      if (found.orders.length === 0 && part.offset > 0) return redirect(`${path}${queryOf(filter)}`)
      return proxiesPage(visit, {
        filter,
        counts: yield* orders.counts(owner, {}),
        cancelled: yield* orders.cancelled(owner),
        countries: yield* orders.countries(owner),
        orders: found.orders,
        part: { ...part, total: found.total }
      })
    })

    const save = Effect.fnUntraced(function* ({ query, user }: Visit) {
      const form = yield* readExport(query.get("format"), query.get("template"))
      const options = { page: { limit: exportedAtMost, offset: 0 }, key: `account:${user.id}` }
      // A cancelled order has no login.
      const { proxy_status, ...others } = filterIn(query)
      const search = proxy_status === undefined || proxy_status === "cancelled" ? others : { ...others, proxy_status }
      return exportAnswer(yield* exports.ofList(user.id, search, form, options))
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("GET", `${path}/export`, pages.show(save))
  })
)
