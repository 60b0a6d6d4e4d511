import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { OrderId } from "../../orders/Order.ts"
import {
  Computed,
  type OrderRefund,
  OrderRefundId,
  RefundDestination,
  RefundKind
} from "../../orders/refunds/OrderRefund.ts"
import type { RefundPreview } from "../../orders/refunds/PreviewRefund.ts"
import * as Money from "../../platform/Money.ts"
import { decisionView } from "./AdjustmentView.ts"
import * as MoneyText from "./MoneyText.ts"

export const RefundView = Schema.Struct({
  id: OrderRefundId,
  order_id: OrderId,
  user_id: UserId,
  currency: Money.Currency,
  amount: MoneyText.Shown,
  kind: RefundKind,
  destination: RefundDestination,
  ends_service: Schema.Boolean,
  computed: Computed,
  ...decisionView,
  release_at: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({
    description: "The next try to end the proxy at its provider; null: nothing to end"
  })
}).annotate({ identifier: "OrderRefund" })

export const refundView = (refund: OrderRefund): typeof RefundView.Type => {
  const { amount, ...shown } = refund
  return { ...shown, amount: Money.toDecimal(refund.currency, amount) }
}

export const PreviewView = Schema.Struct({
  order_id: OrderId,
  currency: Money.Currency,
  paid: MoneyText.Shown,
  returned: MoneyText.Shown,
  left: MoneyText.Shown,
  prorata: MoneyText.Shown,
  is_whole_possible: Schema.Boolean.annotate({ description: "True when the order can be undone with kind `whole`" }),
  terms: Schema.Array(
    Schema.Struct({
      reference: Schema.String.annotate({ description: "The order, or `change:` and the change that was paid" }),
      paid: MoneyText.Shown,
      returned: MoneyText.Shown,
      share: MoneyText.Shown
    })
  )
}).annotate({ identifier: "RefundPreview" })

export const previewView = (preview: RefundPreview) => {
  const { currency, is_whole_possible, left, order_id, paid, prorata, returned, terms } = preview
  const text = (amount: bigint) => Money.toDecimal(currency, amount)
  const view: typeof PreviewView.Type = {
    order_id,
    currency,
    is_whole_possible,
    paid: text(paid),
    returned: text(returned),
    left: text(left),
    prorata: text(prorata),
    terms: terms.map((term) => ({
      reference: term.reference,
      paid: text(term.paid),
      returned: text(term.returned),
      share: text(term.share)
    }))
  }
  return view
}
