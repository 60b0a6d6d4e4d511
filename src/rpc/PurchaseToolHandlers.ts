import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { OrderCancellation } from "../orders/checkout/OrderCancellation.ts"
import { OrderPlacement } from "../orders/checkout/OrderPlacement.ts"
import { Orders } from "../orders/Orders.ts"
import { orderView } from "../orders/OrderView.ts"
import * as PreviewPromoCode from "../orders/checkout/PreviewPromoCode.ts"
import { promoCodePreviewView } from "../orders/checkout/PromoCodePreviewView.ts"
import { quoteView } from "../orders/checkout/QuoteView.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { PurchaseTools } from "./PurchaseTools.ts"
import { chosen } from "./ToolArguments.ts"
import { asTool } from "./ToolFailure.ts"

export const layer = PurchaseTools.toLayer(
  Effect.gen(function* () {
    const cancellation = yield* OrderCancellation
    const orders = yield* Orders
    const placement = yield* OrderPlacement
    const preview = yield* PreviewPromoCode.make
    const wallets = yield* Wallets

    return PurchaseTools.of({
      quote_proxy_order: Effect.fnUntraced(function* (request) {
        const caller = yield* Caller
        return quoteView(yield* placement.quote(caller, chosen(request)), yield* wallets.list(caller.user_id))
      }, asTool),
      preview_promo_code: Effect.fnUntraced(function* (use) {
        return promoCodePreviewView(yield* preview((yield* Caller).user_id, chosen(use)))
      }, asTool),
      count_my_orders: Effect.fnUntraced(function* (filter) {
        return yield* orders.counts((yield* Caller).user_id, filter)
      }),
      cancel_order: Effect.fnUntraced(function* ({ order_id }) {
        return orderView(yield* cancellation.cancel((yield* Caller).user_id, order_id))
      }, asTool)
    })
  })
)
