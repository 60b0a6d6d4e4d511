import { Schema } from "effect"
import { Text } from "../../platform/fields/Text.ts"
import { irrelevant, type PaymentEvent } from "./PaymentGateway.ts"
import type { PaymentIntentId } from "../PaymentIntent.ts"
import { Decimal, wholeCents } from "./Decimal.ts"

const Amount = Schema.optional(Schema.NullOr(Decimal))
const Name = Schema.optional(Schema.NullOr(Schema.String))

/**
 * The answer of `GET /v1/payment/{payment_id}`. `price_amount` is in `price_currency`; the paid amounts are in crypto.
 */
export const NowPaymentsPayment = Schema.Struct({
  payment_id: Text(1, 255),
  payment_status: Schema.String,
  /** The earlier payment to the same address, if this payment repeats one. */
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

/** True when the money has finally arrived. Other states lead to one of these, or brought no money. */
const isSettled = ({ payment_status }: Status) => payment_status === "finished" || payment_status === "partially_paid"

const underWay = ["waiting", "confirming", "confirmed", "sending"]

/** True when the API of NOWPayments still shows an earlier state of the payment than the call. */
export const isBehind = (call: Status, read: Status) => isSettled(call) && underWay.includes(read.payment_status)

const isMoney = (amount: bigint | undefined) => amount !== undefined && amount > 0n

/** The worth of the payment at the fixed rate of `requested`, which applies only to the requested coin. */
const atRequestedRate = (requested: NowPaymentsPayment, payment: NowPaymentsPayment) =>
  requested.pay_currency === payment.pay_currency
    ? wholeCents(requested.price_amount, payment.actually_paid ?? "0", requested.pay_amount ?? "0")
    : undefined

/**
 * The worth of a payment by the figures of NOWPayments: its own valuation, or else the amount at the fixed rate. A
 * finished payment is worth at least the requested amount. Undefined when no figure is known.
 */
const worth = (requested: NowPaymentsPayment, payment: NowPaymentsPayment) => {
  const valued = wholeCents(payment.actually_paid_at_fiat ?? "0")
  const received = isMoney(valued) ? valued : atRequestedRate(requested, payment)
  if (payment !== requested || payment.payment_status !== "finished") return received
  const price = wholeCents(payment.price_amount)
  return price !== undefined && received !== undefined && received > price ? received : price
}

/**
 * The events of a payment; `requested` is the payment that it repeats, or itself. A payment that failed or expired does
 * not end the intent, because the customer may choose another coin. Undefined when the payment cannot be valued.
 */
export const eventsOf = (
  payment_intent_id: PaymentIntentId,
  requested: NowPaymentsPayment,
  payment: NowPaymentsPayment
): ReadonlyArray<PaymentEvent> | undefined => {
  if (!isSettled(payment)) return irrelevant
  const amount = worth(requested, payment)
  if (amount === undefined || !isMoney(amount) || requested.price_currency.toLowerCase() !== "usd") return undefined
  return [{ _tag: "Paid", payment_intent_id, charge_id: payment.payment_id, currency: "USD", amount }]
}
