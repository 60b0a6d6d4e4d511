import { Schema } from "effect"
import { ApiError } from "../platform/ApiError.ts"

export class OrderNotFound extends ApiError<OrderNotFound>()("OrderNotFound", {
  status: 404,
  detail: "There is no such order"
}) {}

export class OrderNotYours extends ApiError<OrderNotYours>()("OrderNotYours", {
  status: 403,
  detail: "This order belongs to another account"
}) {}

/** The order asks for something that the offer is not. */
export class OfferMismatch extends ApiError<OfferMismatch>()("OfferMismatch", {
  status: 400,
  detail: "The order asks for something that the offer does not have"
}) {}

export class OfferOutOfStock extends ApiError<OfferOutOfStock>()(
  "OfferOutOfStock",
  { status: 409, detail: "The offer is out of stock; see is_available in the catalog" },
  { reason: Schema.tag("out_of_stock") }
) {}

export class PaymentMethodRefused extends ApiError<PaymentMethodRefused>()("PaymentMethodRefused", {
  status: 400,
  detail: "This payment method is not available for orders; top up the wallet and pay with `wallet`"
}) {}

export class TrafficUnavailable extends ApiError<TrafficUnavailable>()("TrafficUnavailable", {
  status: 503,
  detail: "The provider does not answer for this proxy's traffic right now; try again in a moment"
}) {}
