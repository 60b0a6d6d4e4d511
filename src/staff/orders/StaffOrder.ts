import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { OrderId } from "../../orders/Order.ts"
import { OrderStatus, ProxyStatus } from "../../orders/OrderStatus.ts"
import { Currency } from "../../platform/Money.ts"
import type { Permission } from "../Permissions.ts"

const maybe = Schema.NullOr
const text = Schema.String

/** The kinds of what happened to an order, with the permission to see them. */
export const stepKinds = {
  ordered: "order.read",
  payment_asked: "payment.read",
  payment_arrived: "payment.read",
  payment_reversed: "dispute.read",
  callback: "payment.read",
  entry: "payment.read",
  delivery_began: "order.read",
  delivery_ended: "order.read",
  change: "order.read",
  event: "order.read",
  outage: "order.read",
  warranty: "order.read",
  staff: "audit.read",
  refund_asked: "refund.read",
  refund_decided: "refund.read",
  card_refund: "refund.read",
  adjustment: "adjustment.read",
  restricted: "restriction.read",
  lifted: "restriction.read",
  proxy_stopped: "order.read",
  ended: "order.read"
} as const satisfies Readonly<Record<string, Permission>>

const StepKind = Schema.Literals(Object.keys(stepKinds) as Array<keyof typeof stepKinds>)
export type StepKind = typeof StepKind.Type

/** Makes the schemas of an order and of its timeline, with the schemas of their times and amounts. */
const orderWith = <Time extends Schema.Top, Amount extends Schema.Top>(Time: Time, Amount: Amount) => ({
  order: {
    id: OrderId,
    user_id: UserId,
    email: maybe(text).annotate({ description: "Masked for staff who may not identify customers" }),
    api_key_id: maybe(text),
    oauth_client_id: maybe(text),
    offer_id: Schema.Int,
    offer_name: maybe(text),
    provider: text,
    external_id: text,
    provider_proxy_id: maybe(text).annotate({ description: "The id of the proxy at its provider" }),
    status: OrderStatus,
    proxy_status: ProxyStatus,
    proxy_type: text,
    mode: text,
    ip_version: text,
    protocol: text,
    country: text,
    city: maybe(text),
    period_days: Schema.Int,
    period_months: Schema.Int,
    bandwidth_gb: maybe(Schema.Finite),
    host: maybe(text),
    port: maybe(Schema.Int),
    auto_renew: Schema.Boolean,
    currency: Currency,
    total: Amount,
    discount: Amount,
    cost_usd: maybe(Amount).annotate({ description: "The cost of the operator in dollars; null when it is unknown" }),
    promo_code: maybe(text),
    payment_method: text,
    payment_intent_id: maybe(text),
    created_at: Time,
    expires_at: maybe(Time)
  },
  step: {
    kind: StepKind,
    id: text.annotate({ description: "The id of the record" }),
    at: Time,
    state: maybe(text),
    detail: maybe(text),
    by: maybe(text).annotate({ description: "The person or the credential; null: the service" }),
    currency: maybe(Currency),
    amount: maybe(Amount)
  }
})

const stored = orderWith(Schema.DateTimeUtcFromDate, Schema.BigInt)
const shown = orderWith(
  Schema.DateTimeUtcFromString,
  Schema.String.annotate({ description: "A decimal string", examples: ["12.50"] })
)

/** An order with its customer, as it is stored. Amounts in the currency's unit. */
export const StaffOrder = Schema.Struct(stored.order)
export type StaffOrder = typeof StaffOrder.Type

/** One thing that happened to an order. */
export const OrderStep = Schema.Struct(stored.step)
export type OrderStep = typeof OrderStep.Type

export interface OrderWithSteps {
  readonly order: StaffOrder
  /** Newest first. */
  readonly timeline: ReadonlyArray<OrderStep>
}

/** An order as the admin API answers it. Amounts are decimal text. */
export const StaffOrderView = Schema.Struct({
  ...shown.order,
  timeline: Schema.Array(Schema.Struct(shown.step).annotate({ identifier: "OrderStep" })).annotate({
    description: "The newest 200 things that happened to the order, of the kinds for which you have the permission"
  })
}).annotate({ identifier: "StaffOrder" })
