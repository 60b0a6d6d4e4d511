import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"
import { decisionFields, type RequestStatus } from "../../wallet/adjustments/Adjustment.ts"
import { type Order, OrderId } from "../Order.ts"

export const OrderRefundId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("OrderRefundId"))
export type OrderRefundId = typeof OrderRefundId.Type

/** `whole` undoes the order and ends it. `amount` is an amount of choice, `prorata` the part for what is left. */
export const RefundKind = Schema.Literals(["whole", "amount", "prorata"])
/** The wallet, or the charges that the money came from. */
export const RefundDestination = Schema.Literals(["wallet", "gateway"])

/** The payments and shares of a refund when it was computed. Amounts are decimal text. */
export const Computed = Schema.Struct({
  used_gb: Schema.NullOr(Schema.Finite),
  terms: Schema.Array(
    Schema.Struct({
      payment_id: Schema.String,
      reference: Schema.String,
      paid: Schema.String,
      returned: Schema.String,
      share: Schema.String
    })
  )
})

/** A refund of a delivered order by staff. */
export const OrderRefund = Schema.Struct({
  id: OrderRefundId,
  order_id: OrderId,
  user_id: UserId,
  currency: Currency,
  amount: Schema.BigInt,
  kind: RefundKind,
  destination: RefundDestination,
  ends_service: Schema.Boolean,
  computed: Computed,
  ...decisionFields,
  /** The next try to end the proxy at its provider; null: nothing to end. */
  release_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type OrderRefund = typeof OrderRefund.Type

/** The traffic of an order, as its provider reports it. */
export interface Usage extends Pick<Order, "cycle_started_at"> {
  /** Null: not known; it counts as all. */
  readonly used_gb: number | null
}

/** The fields that the request for a refund chooses. */
export interface RefundRequest extends Pick<
  OrderRefund,
  "id" | "order_id" | "kind" | "destination" | "reason_code" | "reason" | "customer_text"
> {
  /** The amount to return; for `prorata` the amount that was shown. Absent for `whole`. */
  readonly amount?: bigint | undefined
  /** Absent: that of the order. */
  readonly currency?: Currency | undefined
  /** A whole refund always ends the service. */
  readonly ends_service: boolean
  /** Callers that are in a transaction have asked before it. Absent: `create` asks before its own. */
  readonly usage?: Usage | undefined
}

export interface RefundFilter {
  readonly order_id?: OrderId | undefined
  readonly user_id?: UserId | undefined
  readonly status?: RequestStatus | undefined
  /** Only refunds that follow this one in the list. */
  readonly after?: OrderRefundId | undefined
}
