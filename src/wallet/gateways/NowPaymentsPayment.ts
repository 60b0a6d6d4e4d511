import { Schema } from "effect"
import { Text } from "../../platform/Text.ts"
import type { PaymentEvent } from "../PaymentGateway.ts"
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

/** What has come in for good; the other states are on the way to one of these, or brought nothing. */
const isSettled = ({ payment_status }: NowPaymentsPayment) =>
  payment_status === "finished" || payment_status === "partially_paid"

const isMoney = (amount: bigint | undefined) => amount !== undefined && amount > 0n

/** What came in at the rate that NOWPayments fixed for `asked`; only the coin that was asked for has that rate. */
const atAskedRate = (asked: NowPaymentsPayment, payment: NowPaymentsPayment) =>
  asked.pay_currency === payment.pay_currency
    ? wholeCents(asked.price_amount, payment.actually_paid ?? "0", asked.pay_amount ?? "0")
    : undefined

/**
 * What a payment is worth, by NOWPayments' own figures. A finished one pays what was asked for, or more. One that is
 * short, or comes after another to the same address, brings what NOWPayments valued it at, else what came in at the
 * asked rate. Undefined when neither is known.
 */
const worth = (asked: NowPaymentsPayment, payment: NowPaymentsPayment) => {
  const atRate = atAskedRate(asked, payment)
  if (payment === asked && payment.payment_status === "finished") {
    const price = wholeCents(payment.price_amount)
    return price !== undefined && atRate !== undefined && atRate > price ? atRate : price
  }
  const valued = wholeCents(payment.actually_paid_at_fiat ?? "0")
  return isMoney(valued) ? valued : atRate
}

/**
 * What is to be made of a payment; `asked` is the one it repeats, else itself. A payment that failed or ran out is
 * not the end of its invoice, on which the customer may choose another coin. Undefined when it cannot be valued.
 */
export const eventOf = (
  payment_intent_id: PaymentIntentId,
  asked: NowPaymentsPayment,
  payment: NowPaymentsPayment
): PaymentEvent | undefined => {
  if (!isSettled(payment)) return { _tag: "Irrelevant" }
  const amount = worth(asked, payment)
  if (amount === undefined || !isMoney(amount) || asked.price_currency.toLowerCase() !== "usd") return undefined
  return { _tag: "Paid", payment_intent_id, charge_id: payment.payment_id, currency: "USD", amount }
}
