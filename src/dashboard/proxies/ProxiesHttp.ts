import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { exportAnswer } from "../../orders/exports/ExportAnswer.ts"
import type { ExportForm } from "../../orders/exports/ExportFile.ts"
import { exportedAtMost, OrderExports } from "../../orders/exports/OrderExports.ts"
import { Orders } from "../../orders/Orders.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { makeExporting, type TypedExport } from "./ExportChoice.ts"
import { filterIn, queryOf } from "./ListFilter.ts"
import { proxiesPage } from "./ProxiesPage.ts"

const onPage = 50

/** The list of the proxies, and its export. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const exporting = yield* makeExporting
    const exports = yield* OrderExports
    const orders = yield* Orders
    const pages = yield* Pages
    const path = yield* pathOf("proxies")

    const listed = Effect.fnUntraced(function* (visit: Visit, offset: number) {
      const part = { limit: onPage, offset }
      const found = yield* orders.list(visit.user.id, { proxy_status: "not_cancelled", ...filterIn(visit.query) }, part)
      return { orders: found.orders, part: { ...part, total: found.total } }
    })

    const page = Effect.fnUntraced(function* (
      visit: Visit,
      list: Effect.Success<ReturnType<typeof listed>>,
      typed?: TypedExport
    ) {
      return proxiesPage(visit, {
        filter: filterIn(visit.query),
        counts: yield* orders.counts(visit.user.id, {}),
        cancelled: yield* orders.cancelled(visit.user.id),
        countries: yield* orders.countries(visit.user.id),
        ...list,
        typed
      })
    })

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const list = yield* listed(visit, offsetOf(visit.query))
      const isBehind = list.orders.length === 0 && list.part.offset > 0
      return isBehind ? redirect(`${path}${queryOf(filterIn(visit.query))}`) : yield* page(visit, list)
    })

    const saveAs = ({ query, user }: Visit) =>
      Effect.fnUntraced(function* (form: ExportForm) {
        const options = { page: { limit: exportedAtMost, offset: 0 }, key: `account:${user.id}` }
        // A cancelled order has no login.
        const { proxy_status, ...others } = filterIn(query)
        const search = proxy_status === undefined || proxy_status === "cancelled" ? others : { ...others, proxy_status }
        return exportAnswer(yield* exports.ofList(user.id, search, form, options))
      })

    const save = (visit: Visit) =>
      exporting(visit, saveAs(visit), (typed) => Effect.flatMap(listed(visit, 0), (list) => page(visit, list, typed)))

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("GET", `${path}/export`, pages.show(save))
  })
)
