import { Schema } from "effect"
import * as Money from "../../platform/Money.ts"
import { type PaymentWithRecords, shown, type StaffPayment, StoredBody } from "./StaffPayment.ts"

/** A payment in a list. */
export const FoundPaymentView = Schema.Struct(shown.payment).annotate({ identifier: "FoundPayment" })

/** A payment with its records, as the admin API answers it. */
export const StaffPaymentView = Schema.Struct({
  ...shown.payment,
  charges: Schema.Array(shown.charge.annotate({ identifier: "PaymentCharge" })),
  callbacks: Schema.Array(shown.callback.annotate({ identifier: "PaymentCallback" })).annotate({
    description: "The newest 50 calls of the gateway"
  }),
  refunds: Schema.Array(shown.refund.annotate({ identifier: "PaymentRefund" })).annotate({
    description: "Refunds that this service asked the gateway for; needs `refund.read`"
  }),
  reversals: Schema.Array(shown.reversal.annotate({ identifier: "PaymentReversal" })).annotate({
    description: "Refunds and disputes that the gateway reported; needs `dispute.read`"
  }),
  orders: Schema.Array(shown.order.annotate({ identifier: "PaidOrder" })).annotate({
    description: "The orders that it paid or shall pay; none for a deposit; needs `order.read`"
  })
}).annotate({ identifier: "StaffPayment" })

export const CallbackBodyView = Schema.Struct({
  ...StoredBody.fields,
  received_at: Schema.DateTimeUtcFromString,
  body: Schema.String
}).annotate({ identifier: "PaymentCallbackBody" })

const decimal = <A extends { readonly amount: bigint; readonly currency: Money.Currency }>({ amount, ...rest }: A) => ({
  ...rest,
  amount: Money.toDecimal(rest.currency, amount)
})

export const foundPaymentView = (payment: StaffPayment): typeof FoundPaymentView.Type => decimal(payment)

export const staffPaymentView = (found: PaymentWithRecords): typeof StaffPaymentView.Type => ({
  ...decimal(found.payment),
  charges: found.charges.map(decimal),
  callbacks: found.callbacks,
  refunds: found.refunds.map(decimal),
  reversals: found.reversals.map(decimal),
  orders: found.orders.map(({ total, ...order }) => ({ ...order, total: Money.toDecimal(order.currency, total) }))
})
