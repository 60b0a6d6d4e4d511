import { Schema } from "effect"
import { Text } from "../../platform/fields/Text.ts"
import { irrelevant, type PaymentEvent } from "./PaymentGateway.ts"
import type { PaymentIntentId } from "../PaymentIntent.ts"
import { Decimal, wholeCents } from "./Decimal.ts"

const Amount = Schema.optional(Schema.NullOr(Decimal))
const Name = Schema.optional(Schema.NullOr(Schema.String))

/** A payment, of `GET /v1/payment/{payment_id}`; `price_amount` is in `price_currency`, the paid ones are in crypto. */
export const NowPaymentsPayment = Schema.Struct({
  payment_id: Text(1, 255),
  payment_status: Schema.String,
  /** The payment whose address was paid to once more. */
  parent_payment_id: Name,
  order_id: Name,
  price_amount: Decimal,
  price_currency: Schema.String,
  pay_amount: Amount,
  pay_currency: Name,
  actually_paid: Amount,
  actually_paid_at_fiat: Amount
})
export type NowPaymentsPayment = typeof NowPaymentsPayment.Type

type Status = Pick<NowPaymentsPayment, "payment_status">

/** What has come in for good; the other states are on the way to one of these, or brought nothing. */
const isSettled = ({ payment_status }: Status) => payment_status === "finished" || payment_status === "partially_paid"

const underWay = ["waiting", "confirming", "confirmed", "sending"]

/** A call is ahead of what NOWPayments answers for the same payment. */
export const isBehind = (call: Status, read: Status) => isSettled(call) && underWay.includes(read.payment_status)

const isMoney = (amount: bigint | undefined) => amount !== undefined && amount > 0n

/** What came in at the rate that NOWPayments fixed for `asked`; only the coin that was asked for has that rate. */
const atAskedRate = (asked: NowPaymentsPayment, payment: NowPaymentsPayment) =>
  asked.pay_currency === payment.pay_currency
    ? wholeCents(asked.price_amount, payment.actually_paid ?? "0", asked.pay_amount ?? "0")
    : undefined

/**
 * What a payment is worth, by NOWPayments' own figures: what it valued it at, else what came in at the asked rate. A
 * finished one pays no less than what was asked for. Undefined when nothing is known.
 */
const worth = (asked: NowPaymentsPayment, payment: NowPaymentsPayment) => {
  const valued = wholeCents(payment.actually_paid_at_fiat ?? "0")
  const brought = isMoney(valued) ? valued : atAskedRate(asked, payment)
  if (payment !== asked || payment.payment_status !== "finished") return brought
  const price = wholeCents(payment.price_amount)
  return price !== undefined && brought !== undefined && brought > price ? brought : price
}

/**
 * What is to be made of a payment; `asked` is the one it repeats, else itself. A payment that failed or ran out is
 * not the end of its invoice, on which the customer may choose another coin. Undefined when it cannot be valued.
 */
export const eventsOf = (
  payment_intent_id: PaymentIntentId,
  asked: NowPaymentsPayment,
  payment: NowPaymentsPayment
): ReadonlyArray<PaymentEvent> | undefined => {
  if (!isSettled(payment)) return irrelevant
  const amount = worth(asked, payment)
  if (amount === undefined || !isMoney(amount) || asked.price_currency.toLowerCase() !== "usd") return undefined
  return [{ _tag: "Paid", payment_intent_id, charge_id: payment.payment_id, currency: "USD", amount }]
}
