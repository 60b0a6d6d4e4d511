import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Orders } from "../../orders/Orders.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as AfterPayment from "./AfterPayment.ts"
import type { Payment, Way } from "./PaymentDetails.ts"

/** Makes the function that finds the pages to which a payment leads: its order, its offer, or the wallet. */
export const make = Effect.gen(function* () {
  const after = yield* AfterPayment.make
  const orders = yield* Orders
  const proxies = yield* pathOf("proxies")
  const shop = yield* pathOf("shop")
  const wallet = yield* pathOf("wallet")

  const ofDeposit = Effect.fnUntraced(function* ({ id }: Payment) {
    const next = yield* after.pathOf(id)
    const toWallet: Way = { path: wallet, label: text("payment.to_wallet") }
    return next === undefined ? [toWallet] : [{ path: next, label: text("payment.go_on") }, toWallet]
  })

  const ofOrders = Effect.fnUntraced(function* ({ id, status }: Payment): Effect.fn.Return<ReadonlyArray<Way>> {
    const [first, ...others] = yield* orders.ofPayment(id)
    if (status === "failed" || status === "expired")
      return [{ path: first === undefined ? shop : `${shop}/${first.offer_id}`, label: text("payment.to_offer") }]
    if (first === undefined) return []
    const path = others.length === 0 ? `${proxies}/${first.id}` : proxies
    if (status === "pending") return [{ path, label: text("payment.to_order") }]
    return [{ path, label: others.length === 0 ? text("payment.to_proxy") : text("payment.to_proxies") }]
  })

  return (payment: Payment): Effect.Effect<ReadonlyArray<Way>, never, HttpServerRequest.HttpServerRequest> =>
    payment.purpose === "deposit" ? ofDeposit(payment) : ofOrders(payment)
})
