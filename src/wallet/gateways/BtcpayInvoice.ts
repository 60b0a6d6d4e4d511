import { Option, Schema } from "effect"
import { Text } from "../../platform/fields/Text.ts"
import { irrelevant, type PaymentEvent } from "./PaymentGateway.ts"
import { PaymentIntentId } from "../PaymentIntent.ts"
import { Decimal, wholeCents } from "./Decimal.ts"

/** An invoice: the answer of `GET /stores/{storeId}/invoices/{invoiceId}` of the Greenfield API. */
export const BtcpayInvoice = Schema.Struct({
  id: Schema.String,
  amount: Decimal,
  currency: Schema.String,
  status: Schema.String,
  additionalStatus: Schema.optional(Schema.NullOr(Schema.String)),
  metadata: Schema.optional(Schema.NullOr(Schema.Struct({ paymentIntentId: Schema.optional(Schema.Unknown) })))
})
export type BtcpayInvoice = typeof BtcpayInvoice.Type

/** The answer of `GET .../invoices/{invoiceId}/payment-methods`. `rate` is in the invoice's currency. */
export const BtcpayPaymentMethods = Schema.Array(
  Schema.Struct({
    rate: Schema.optional(Schema.NullOr(Decimal)),
    payments: Schema.Array(Schema.Struct({ id: Text(1, 255), value: Decimal, status: Schema.String }))
  })
)
export type BtcpayPaymentMethods = typeof BtcpayPaymentMethods.Type

/** The intent of an invoice. Its `orderId` is not used, because a pay button of the store accepts any `orderId`. */
const intentOf = ({ metadata }: BtcpayInvoice) =>
  Option.getOrUndefined(Schema.decodeUnknownOption(PaymentIntentId)(metadata?.paymentIntentId))

interface ReceivedPayment {
  readonly value: string
  readonly rate: string | null | undefined
}

/**
 * The worth of an invoice's only payment: the requested amount, if the store accepts the payment within its tolerance.
 */
const worthOfOnly = (invoice: BtcpayInvoice, received: bigint | undefined) => {
  const requested = wholeCents(invoice.amount)
  const { additionalStatus, status } = invoice
  if (additionalStatus === "PaidLate")
    return requested !== undefined && received !== undefined && requested > received ? requested : received
  const isAsRequested = (additionalStatus ?? "None") === "None" && (status === "Processing" || status === "Settled")
  return isAsRequested ? requested : received
}

const worthOf = (invoice: BtcpayInvoice, { rate, value }: ReceivedPayment, isOnly: boolean) => {
  const received = typeof rate === "string" ? wholeCents(value, rate) : undefined
  return isOnly ? worthOfOnly(invoice, received) : received
}

/**
 * The events of an invoice. Each settled payment is a separate charge; a call that names one payment reports only that
 * one. Undefined when BTCPay gives no dollar value for one of them.
 */
export const eventsOf = (
  invoice: BtcpayInvoice,
  methods: BtcpayPaymentMethods,
  payment_id?: string
): ReadonlyArray<PaymentEvent> | undefined => {
  const payment_intent_id = intentOf(invoice)
  if (payment_intent_id === undefined) return irrelevant
  const payments = methods
    .flatMap(({ payments, rate }) => payments.map((payment) => ({ ...payment, rate })))
    .filter(({ status }) => status !== "Invalid")
  const isOver = payments.length === 0 && (invoice.status === "Expired" || invoice.status === "Invalid")
  if (isOver) return [{ _tag: "Declined", payment_intent_id, external_reference: invoice.id }]
  const isNamed = payments.some(({ id }) => id === payment_id)
  const events: Array<PaymentEvent> = []
  for (const payment of payments.filter(({ id, status }) => status === "Settled" && (!isNamed || id === payment_id))) {
    const amount = worthOf(invoice, payment, payments.length === 1)
    if (amount === undefined || invoice.currency !== "USD") return undefined
    events.push({ _tag: "Paid", payment_intent_id, charge_id: payment.id, currency: "USD", amount })
  }
  return events
}
