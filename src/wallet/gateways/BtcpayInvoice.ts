import { Option, Schema } from "effect"
import { Text } from "../../platform/Text.ts"
import type { PaymentEvent } from "../PaymentGateway.ts"
import { PaymentIntentId } from "../PaymentIntent.ts"
import { Decimal, wholeCents } from "./Decimal.ts"

/** An invoice, of the Greenfield API's `GET /stores/{storeId}/invoices/{invoiceId}`. */
export const BtcpayInvoice = Schema.Struct({
  id: Schema.String,
  amount: Decimal,
  currency: Schema.String,
  status: Schema.String,
  additionalStatus: Schema.optional(Schema.NullOr(Schema.String)),
  metadata: Schema.optional(Schema.NullOr(Schema.Struct({ orderId: Schema.optional(Schema.Unknown) })))
})
export type BtcpayInvoice = typeof BtcpayInvoice.Type

/** What came in, of `GET .../invoices/{invoiceId}/payment-methods`: `rate` is in the invoice's currency. */
export const BtcpayPaymentMethods = Schema.Array(
  Schema.Struct({
    rate: Schema.optional(Schema.NullOr(Decimal)),
    payments: Schema.Array(Schema.Struct({ id: Text(1, 255), value: Decimal, status: Schema.String }))
  })
)
export type BtcpayPaymentMethods = typeof BtcpayPaymentMethods.Type

/** BTCPay has found the invoice paid with what was asked for, within the store's own tolerance. */
const isPaidAsAsked = ({ additionalStatus, status }: BtcpayInvoice) =>
  additionalStatus === "PaidLate" ||
  ((additionalStatus ?? "None") === "None" && (status === "Processing" || status === "Settled"))

/** The intent that an invoice was made for; an invoice of another shop in the store has none. */
const intentOf = ({ metadata }: BtcpayInvoice) =>
  Option.getOrUndefined(Schema.decodeUnknownOption(PaymentIntentId)(metadata?.orderId))

/**
 * What is to be made of an invoice. Each payment on it is a charge of its own, worth what was asked for when it alone
 * paid the invoice, else what came in at the invoice's rate. A call that names no payment speaks of the first one.
 * Undefined when BTCPay does not say what the payment is worth in dollars.
 */
export const eventOf = (
  invoice: BtcpayInvoice,
  methods: BtcpayPaymentMethods,
  payment_id?: string
): PaymentEvent | undefined => {
  const payment_intent_id = intentOf(invoice)
  if (payment_intent_id === undefined) return { _tag: "Irrelevant" }
  const payments = methods
    .flatMap(({ payments, rate }) => payments.map((payment) => ({ ...payment, rate: rate ?? "0" })))
    .filter(({ status }) => status !== "Invalid")
  const settled = payments.filter(({ status }) => status === "Settled")
  const named = payments.some(({ id }) => id === payment_id) ? payment_id : undefined
  const payment = named === undefined ? settled[0] : settled.find(({ id }) => id === named)
  if (payment === undefined) {
    const isOver = payments.length === 0 && (invoice.status === "Expired" || invoice.status === "Invalid")
    return isOver ? { _tag: "Declined", payment_intent_id } : { _tag: "Irrelevant" }
  }
  const amount =
    payments.length === 1 && isPaidAsAsked(invoice)
      ? wholeCents(invoice.amount)
      : wholeCents(payment.value, payment.rate)
  if (amount === undefined || invoice.currency !== "USD") return undefined
  return { _tag: "Paid", payment_intent_id, charge_id: payment.id, currency: "USD", amount }
}
