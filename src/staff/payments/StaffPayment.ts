import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { OrderId } from "../../orders/Order.ts"
import { Currency } from "../../platform/Money.ts"
import { PaymentIntent, PaymentIntentId } from "../../wallet/PaymentIntent.ts"
import { PaymentMethod } from "../../wallet/PaymentMethod.ts"

const maybe = Schema.NullOr
const text = Schema.String
const { purpose, status } = PaymentIntent.fields

/** Makes the schemas of a payment and of its records, with the schemas of their times and amounts. */
const paymentWith = <Time extends Schema.Top, Amount extends Schema.Top>(Time: Time, Amount: Amount) => ({
  payment: {
    id: PaymentIntentId,
    user_id: UserId,
    email: maybe(text).annotate({ description: "Masked for staff who may not identify customers" }),
    purpose,
    payment_method: PaymentMethod,
    status,
    external_reference: maybe(text).annotate({ description: "The id of the payment at its gateway" }),
    currency: Currency,
    amount: Amount,
    created_at: Time,
    expires_at: Time
  },
  charge: Schema.Struct({
    charge_id: text.annotate({ description: "The id of the charge at the gateway" }),
    currency: Currency,
    amount: Amount,
    transaction_id: text.annotate({ description: "The ledger entry that it credited" }),
    created_at: Time
  }),
  callback: Schema.Struct({
    id: text,
    outcome: text.annotate({
      description:
        "`paid`, `credited` (late, twice or with another amount), `declined`, `reversed`, `duplicate`, `ignored`, `saved`",
      examples: ["paid"]
    }),
    received_at: Time
  }),
  refund: Schema.Struct({
    id: text,
    charge_id: text,
    order_id: maybe(OrderId),
    status: text,
    failure: maybe(text),
    currency: Currency,
    amount: Amount,
    created_at: Time
  }),
  reversal: Schema.Struct({
    reversal_id: text.annotate({ description: "The id at the gateway" }),
    charge_id: text,
    kind: Schema.Literals(["refund", "dispute"]),
    status: text,
    currency: Currency,
    amount: Amount,
    created_at: Time
  }),
  order: Schema.Struct({ id: OrderId, status: text, currency: Currency, total: Amount })
})

/** The records as they are stored. Amounts in the currency's unit. */
export const stored = paymentWith(Schema.DateTimeUtcFromDate, Schema.BigInt)
/** The records as the admin API answers them. Amounts are decimal text. */
export const shown = paymentWith(
  Schema.DateTimeUtcFromString,
  Schema.String.annotate({ description: "A decimal string", examples: ["12.50"] })
)

export const StaffPayment = Schema.Struct(stored.payment)
export type StaffPayment = typeof StaffPayment.Type

/** A payment with everything that belongs to it, each list newest first. */
export interface PaymentWithRecords {
  readonly payment: StaffPayment
  readonly charges: ReadonlyArray<typeof stored.charge.Type>
  readonly callbacks: ReadonlyArray<typeof stored.callback.Type>
  readonly refunds: ReadonlyArray<typeof stored.refund.Type>
  readonly reversals: ReadonlyArray<typeof stored.reversal.Type>
  readonly orders: ReadonlyArray<typeof stored.order.Type>
}

/** A callback with its body, as its gateway sent it. */
export const StoredBody = Schema.Struct({
  id: text,
  payment_method: PaymentMethod,
  outcome: text,
  received_at: Schema.DateTimeUtcFromDate,
  payment_intent_id: maybe(PaymentIntentId),
  body: Schema.Uint8Array
})

/** The same with the body as text. */
export type CallbackBody = Omit<typeof StoredBody.Type, "body"> & { readonly body: string }
