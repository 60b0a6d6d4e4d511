import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { OrderCancellation } from "../../orders/checkout/OrderCancellation.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { cancelPage } from "./CancelPage.ts"
import { isUnpaid } from "./ProxyWords.ts"
import * as ShowProxy from "./ShowProxy.ts"

/** The page that cancels an order before it is paid. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const cancellation = yield* OrderCancellation
    const pages = yield* Pages
    const { orderOf } = yield* ShowProxy.make
    const home = yield* pathOf("proxies")
    const path = `${home}/:order_id/cancel` as const

    /** An order that no longer waits leads to its page, which says what became of it. */
    const show = Effect.fnUntraced(function* (visit: Visit) {
      const order = yield* orderOf(visit)
      return isUnpaid(order) ? cancelPage(visit, order) : redirect(`${home}/${order.id}`)
    })

    const cancel = Effect.fnUntraced(function* (visit: Visit) {
      const { id, status } = yield* orderOf(visit)
      // The form was sent twice.
      if (status !== "cancelled") yield* cancellation.cancel(visit.user.id, id)
      return ShowProxy.done(visit, id, "cancelled")
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.press(cancel))
  })
)
