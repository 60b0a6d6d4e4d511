import { Data, Effect } from "effect"
import { HttpRouter } from "effect/http"
import { OrderCancellation } from "../../orders/checkout/OrderCancellation.ts"
import { OrderPlacement } from "../../orders/checkout/OrderPlacement.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { gatewayAddress } from "../payments/PaymentDetails.ts"
import { cancelPage, placedPage } from "./PlacedPage.ts"
import { Nonce } from "../../pages/FormSchemas.ts"

/** The account placed no order with this key within a day. */
class PurchaseNotFound extends Data.TaggedError("PurchaseNotFound")<{
  readonly status: 404
  readonly detail: string
}> {}

const keyInPath = idInPath("key", Nonce)

/** The page of the orders of one purchase. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const cancellation = yield* OrderCancellation
    const pages = yield* Pages
    const placement = yield* OrderPlacement
    const path = yield* pathOf("orders/batch")

    const found = Effect.fnUntraced(function* ({ user }: Visit) {
      const key = yield* keyInPath
      const orders = yield* placement.placed(user.id, key)
      if (orders.length === 0) return yield* new PurchaseNotFound({ status: 404, detail: "No such purchase" })
      return { key, orders }
    })

    /** Leads on to the payment service once: `form-action` of the pages forbids a redirect of the form to it. */
    const show = Effect.fnUntraced(function* (visit: Visit) {
      const placed = yield* found(visit)
      const page = placedPage(visit, placed)
      const unpaid = placed.orders.find(({ status }) => status === "waiting_payment")
      const address = gatewayAddress({ payment_url: unpaid?.payment_url ?? null })
      if (visit.query.get("pay") !== "now" || address === undefined) return page
      return yield* answer(200, page, { headers: { refresh: `0; url=${address}` } })
    })

    const cancel = Effect.fnUntraced(function* (visit: Visit) {
      const { key, orders } = yield* found(visit)
      const unpaid = orders.find(({ status }) => status === "waiting_payment") ?? orders[0]
      if (unpaid !== undefined) yield* cancellation.cancel(visit.user.id, unpaid.id)
      return redirect(`${path}/${key}`)
    })

    yield* router.add("GET", `${path}/:key`, pages.show(show))
    yield* router.add(
      "GET",
      `${path}/:key/cancel`,
      pages.show((visit) => Effect.map(found(visit), (placed) => cancelPage(visit, placed)))
    )
    yield* router.add("POST", `${path}/:key/cancel`, pages.press(cancel))
  })
)
